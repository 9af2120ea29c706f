/** @module-tag full */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { migrate } from '../../../src/platform/db/migrate.js';
import { attachToEmbeddedPostgres } from '../../../src/platform/embedded-postgres/attach.js';
import { finished, startEmbeddedCommand } from '../../support/command.js';
import { clearAway, makePreparedFolder, query, start } from '../../support/postgres-folders.js';

afterEach(clearAway);

it('an interrupted command stops the server that it has started for itself', async () => {
  const dataDir = await makePreparedFolder();
  const server = await start(dataDir);
  await migrate(server.url, () => {});
  await query(
    server.url,
    `create function wait() returns trigger language plpgsql as $$ begin perform pg_sleep(3600); return new; end $$;
     create trigger wait before insert on tenants for each row execute function wait()`,
  );
  await server.stop();

  const child = startEmbeddedCommand(dataDir, 'tenant', 'create', 'acme');
  const ended = finished(child);
  await expect
    .poll(async () => {
      const url = await attachToEmbeddedPostgres(dataDir);
      return url && query(url, `select from pg_stat_activity where wait_event = 'PgSleep'`).catch(() => []);
    })
    .toHaveLength(1);
  child.kill('SIGINT');
  expect(await ended).toEqual({
    code: 130,
    out: '',
    errors: 'Interrupted. A change that was not committed was rolled back.\n',
  });
  await expect.poll(() => existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false);
});
