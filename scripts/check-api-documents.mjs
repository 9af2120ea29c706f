// Part of `npm run check:api`, which puts `redocly` and `openapi-typescript` on the path: other makers' tools accept both API
// documents, and a client that is generated from each of them compiles. `server/test/app/api-documents.test.ts` checks more, without them.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = (program, ...parameters) =>
  execFileSync(program, parameters, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });

const folder = mkdtempSync(join(tmpdir(), 'savepoint-api-clients-'));
try {
  for (const api of ['player', 'admin']) {
    const document = `openapi/${api}.json`;
    const client = join(folder, `${api}.d.ts`);
    run('redocly', 'lint', document, '--config', '.ci/redocly.yaml');
    run('openapi-typescript', document, '--output', client);
    run('tsc', '--noEmit', '--strict', '--skipLibCheck', 'false', client);
  }
} catch (error) {
  console.error(`The API documents are not accepted: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}
