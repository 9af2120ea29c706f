/** @module-tag full */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProcessHosts } from '../../conformance/src/process-host.js';
import { playEveryExchange } from '../../conformance/test/support/exchanges.js';
import { playRealService } from '../../conformance/test/support/real-service.js';
import { buildClient, DRIVER, HAS_MONO, INTERPRETED_DRIVER, NEEDS_MONO, runChecks } from './support/mono.js';

describe.skipIf(!HAS_MONO)(`the C# client on Mono${NEEDS_MONO}`, () => {
  beforeAll(buildClient);

  const hosts = createProcessHosts(INTERPRETED_DRIVER);
  afterAll(hosts.close);
  playEveryExchange(hosts.newHost);

  it('keeps its promises that need no service', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'savepoint-csharp-'));
    const lines = (await runChecks(folder)).trimEnd().split('\n');
    await rm(folder, { recursive: true, force: true });
    expect(lines.filter((line) => !line.startsWith('ok '))).toEqual([]);
    expect(lines.length).toBeGreaterThanOrEqual(15);
  });

  playRealService(DRIVER, 'mono-phone');
});
