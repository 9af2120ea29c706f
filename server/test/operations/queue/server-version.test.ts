import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { examineQueue } from '../../../src/operations/cli/doctor-queue.js';
import { prepareQueue } from '../../../src/operations/queue/queue.js';
import { isSafeVersion } from '../../../src/operations/queue/server-version.js';
import { NATS_SERVER, type NatsServer, NEEDS_NATS, startNatsServer } from '../../support/nats-server.js';
import { type NatsVersionProxy, startNatsVersionProxy } from '../../support/nats-version-proxy.js';

describe('the versions of NATS that lose nothing', () => {
  it.each(['2.10.23', '2.10.27', '2.11.0', '2.15.1', '3.0.0', '2.10.23-RC.1'])('include %s', (version) => {
    expect(isSafeVersion(version)).toBe(true);
  });
  it.each(['2.10.22', '2.9.10', '2.9.25', '1.99.99', '2.10', '', 'unknown'])(
    'do not include "%s"',
    (version) => {
      expect(isSafeVersion(version)).toBe(false);
    },
  );
});

describe.skipIf(NATS_SERVER === undefined)(`a NATS server that is too old${NEEDS_NATS}`, () => {
  let server: NatsServer;
  let old: NatsVersionProxy;
  /** A rolling upgrade, with the old server as the last one and one server that is down. */
  const nats = () => ({
    ...server.config('VERSIONS'),
    servers: [server.url, 'nats://127.0.0.1:1', old.url],
  });
  const sentence =
    /^NATS at 127\.0\.0\.1:\d+ is version 2\.10\.22, and versions before 2\.10\.23 can lose events that were acknowledged\. Upgrade every NATS server to 2\.10\.23 or newer\.$/;

  beforeAll(async () => {
    server = await startNatsServer();
    old = await startNatsVersionProxy(server.url, '2.10.22');
  });
  afterAll(async () => {
    await old?.close();
    await server?.dispose();
  });

  it('is refused in production, although another server is new enough', async () => {
    const said: string[] = [];
    await expect(prepareQueue(nats(), 'production', (line) => said.push(line))).rejects.toThrow(sentence);
    expect(said).toEqual([]);
  });

  it('is warned of in development', async () => {
    const said: string[] = [];
    await prepareQueue(nats(), 'development', (line) => said.push(line));
    expect(said).toHaveLength(1);
    expect(said[0]?.replace('Warning: ', '')).toMatch(sentence);
  });

  it('is what doctor finds: a problem in production, a warning in development', async () => {
    const ofOld = (findings: Awaited<ReturnType<typeof examineQueue>>) =>
      findings.filter(({ name }) => name.endsWith('version 2.10.22'));
    const what = 'versions before 2.10.23 can lose events that were acknowledged';
    const advice = expect.stringContaining('Upgrade to 2.10.23 or newer');
    expect(ofOld(await examineQueue(nats(), 'production'))).toEqual([
      { name: expect.any(String), problem: what, advice },
    ]);
    expect(ofOld(await examineQueue(nats(), 'development'))).toEqual([
      { name: expect.any(String), warning: what, advice },
    ]);
  });

  it('is nothing to speak of when all are new enough', async () => {
    const said: string[] = [];
    await prepareQueue({ ...nats(), servers: [server.url] }, 'production', (line) => said.push(line));
    expect(said).toEqual([]);
  });
});
