import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { examineQueue } from '../../../src/operations/cli/doctor-queue.js';
import { openLink } from '../../../src/operations/queue/connection.js';
import { prepareQueue } from '../../../src/operations/queue/queue.js';
import { checkQueue } from '../../../src/operations/queue/queue-status.js';
import { type NatsSettings, readSettings } from '../../../src/platform/settings/settings.js';
import { adImpression, createHarness, type Harness, postEvents } from '../../support/harness.js';
import { NATS_SERVER, type NatsServer, NEEDS_NATS, startNatsServer } from '../../support/nats-server.js';
import { addQueuedNode, expectApplied, type QueuedNode, withSession } from '../../support/queue-harness.js';

const logger = pino({ level: 'silent' });
const NOBODY = ['nats://127.0.0.1:1'];
const DEPLOY = new URL('../../../../deploy/', import.meta.url);
type Compose = {
  services: {
    savepoint: { environment: { NATS_URL: string } };
    nats: { environment: { NATS_PASSWORD: string } };
  };
};
/** \`openssl rand -hex 24\` can begin like this, which NATS takes for a broken number unless it is in quotes. */
const DIGITS_FIRST = '4e10aa5c';
const prepare = (nats: NatsSettings) => prepareQueue(nats, 'production', () => {});

describe('settings of the queue', () => {
  const read = (env: Record<string, string>) =>
    readSettings({ SAVEPOINT_ENV: 'development', ...env }, { tty: false });

  it('are those of NATS_URL and its siblings', () => {
    const result = read({
      NATS_URL: 'nats://user:secret@a:4222, tls://b:4223,c',
      SAVEPOINT_NATS_PARTITIONS: '32',
      SAVEPOINT_NATS_REPLICAS: '3',
      SAVEPOINT_CONSUME: 'off',
    });
    expect(result).toMatchObject({
      ok: true,
      settings: {
        nats: {
          servers: ['nats://user:secret@a:4222', 'tls://b:4223', 'c'],
          stream: 'SAVEPOINT_EVENTS',
          partitions: 32,
          replicas: 3,
          consume: false,
        },
      },
    });
    expect(read({})).toMatchObject({ ok: true, settings: { nats: undefined } });
  });

  it('are refused, each with what to do', () => {
    const result = read({
      NATS_URL: 'http://a/b',
      SAVEPOINT_NATS_STREAM: 'a.b',
      SAVEPOINT_NATS_REPLICAS: '9',
    });
    expect(result).toMatchObject({
      ok: false,
      problems: [
        expect.stringContaining('NATS_URL must list servers'),
        expect.stringContaining('SAVEPOINT_NATS_STREAM is "a.b"'),
        expect.stringContaining('SAVEPOINT_NATS_REPLICAS is "9"'),
      ],
    });
  });
});

describe.skipIf(NATS_SERVER === undefined)(`what operators see of the queue${NEEDS_NATS}`, () => {
  let server: NatsServer;
  let harness: Harness;
  let node: QueuedNode;
  const nats = () => server.config('OPERATIONS');

  beforeAll(async () => {
    server = await startNatsServer();
    harness = await createHarness();
    node = await addQueuedNode(harness, { ...nats(), consume: false });
  });
  afterAll(async () => {
    await node?.close();
    await harness?.close();
    await server?.dispose();
  });

  it('is its lag and who consumes, in words and as metrics', async () => {
    const link = openLink({ nats: nats(), name: 'test', logger });
    await link.waitUntilLive(60_000);
    const session = await harness.login('lag');
    for (let n = 0; n < 3; n++)
      await postEvents(node.app, session, [adImpression(n, harness.clock.now() - n)]);

    expect(await checkQueue(link, nats(), harness.pool)).toEqual({
      ok: true,
      queue: expect.stringMatching(/^ok: 3 messages to apply, the oldest \d+\.\d s old$/),
      consumers: expect.stringContaining('nobody consumes'),
    });
    // The lag is left out while NATS takes longer than a second to tell it.
    const readMetrics = () => node.ctx.metrics.registry.metrics();
    await expect.poll(readMetrics).toContain('savepoint_queue_lag_messages{of="stream"} 3');
    await expect.poll(readMetrics).toMatch(/savepoint_queue_lag_seconds\{of="stream"\} \d/);
    const metrics = await readMetrics();
    expect(metrics).toContain('savepoint_queue_published_messages_total 3');
    expect(metrics).toContain('savepoint_queue_publish_duration_seconds_count 3');

    const consuming = await addQueuedNode(harness, nats());
    await expectApplied(harness.pool, nats(), session.userId, 3);
    // It may have applied the events before it has all partitions.
    await expect
      .poll(() => checkQueue(link, nats(), harness.pool))
      .toEqual({
        ok: true,
        queue: 'ok: 0 messages to apply, the oldest 0.0 s old',
        consumers: '1 consumers work on 4 of 4 partitions',
      });
    const consumed = await consuming.ctx.metrics.registry.metrics();
    expect(consumed).toContain('savepoint_queue_applied_messages_total{outcome="applied"} 3');
    expect(consumed).toContain('savepoint_queue_owned_partitions 4');
    // A work queue holds just what is not applied: the stream's count is the sum of what its consumers have left.
    await withSession(nats(), async ({ jsm }) => {
      for await (const { num_pending, num_ack_pending } of jsm.consumers.list('OPERATIONS')) {
        expect(num_pending + num_ack_pending).toBe(0);
      }
    });
    await consuming.close();
    await link.close();
  });

  it('is that NATS cannot be reached, and no number instead of a wrong one', async () => {
    const link = openLink({ nats: { ...nats(), servers: NOBODY }, name: 'test', logger });
    expect(await checkQueue(link, nats(), harness.pool)).toMatchObject({
      ok: false,
      queue: 'NATS, or the stream on it, cannot be reached',
    });
    await link.close();
    await server.kill();
    await expect
      .poll(() => node.ctx.metrics.registry.metrics())
      .not.toContain('savepoint_queue_lag_messages{');
    await server.start();
  });

  it('is what doctor finds: one replica, and the sync interval', async () => {
    const findings = await examineQueue(nats(), 'production');
    const said = (name: RegExp) => findings.find((finding) => name.test(finding.name));
    expect(findings.every(({ problem }) => problem === undefined)).toBe(true);
    expect(said(/^NATS at 127\.0\.0\.1:\d+, version \d/)).not.toHaveProperty('warning');
    expect(said(/^stream OPERATIONS: partitions 4, replicas 1/)).toMatchObject({
      warning: expect.stringContaining('one replica'),
      advice: expect.stringContaining('SAVEPOINT_NATS_REPLICAS=3'),
    });
    expect(said(/who may connect/)).toMatchObject({ warning: expect.stringContaining('everybody') });
    expect(said(/writing through/)).toMatchObject({
      advice: expect.stringContaining('sync_interval: always'),
    });
    expect(await examineQueue({ ...nats(), partitions: 5 }, 'production')).toContainEqual(
      expect.objectContaining({ problem: expect.stringContaining('fixed once the stream exists') }),
    );
    expect(await examineQueue({ ...nats(), servers: NOBODY }, 'production')).toMatchObject([
      { problem: 'no connection' },
    ]);
  });

  it('asks for a password with the configuration of deploy, and doctor says so', async () => {
    const { services } = parse(readFileSync(new URL('compose.yaml', DEPLOY), 'utf8')) as Compose;
    const fill = (text: string) => text.replace(/\$\{(\w+):\?[^}]*\}/, DIGITS_FIRST);
    process.env.NATS_PASSWORD = fill(services.nats.environment.NATS_PASSWORD);
    const folder = await mkdtemp(join(tmpdir(), 'savepoint-nats-conf-'));
    const file = join(folder, 'nats.conf');
    // The test has a folder of its own for the stream.
    await writeFile(
      file,
      readFileSync(new URL('nats/nats.conf', DEPLOY), 'utf8').replace('store_dir: /data', ''),
    );
    const closed = await startNatsServer(['-c', file]);
    delete process.env.NATS_PASSWORD;
    try {
      const { username, password } = new URL(fill(services.savepoint.environment.NATS_URL));
      const host = closed.url.replace('nats://', '');
      const examine = (server: string) =>
        examineQueue({ ...nats(), servers: [server], stream: 'CLOSED' }, 'production');
      const findings = await examine(`nats://${username}:${password}@${host}`);
      expect(findings).toContainEqual({ name: 'NATS: who may connect' });
      expect(findings.every(({ problem }) => problem === undefined)).toBe(true);
      for (const other of [host, `nats://${username}:wrong@${host}`])
        expect(await examine(other)).toMatchObject([
          { problem: 'no connection', advice: expect.stringContaining('Authorization Violation') },
        ]);
    } finally {
      await closed.dispose();
      await rm(folder, { recursive: true });
    }
  });

  it('is a sentence when the service cannot start on it', async () => {
    await expect(prepare({ ...nats(), servers: NOBODY })).rejects.toThrow(
      /^Cannot connect to NATS at 127\.0\.0\.1:1 \(.*\)\. Start it with JetStream on .*, check NATS_URL, or leave/,
    );
    await expect(prepare({ ...nats(), partitions: 5 })).rejects.toThrow(/has 4 partitions.*set it to 4/);
    await expect(prepare({ ...nats(), stream: 'NEW', replicas: 3 })).rejects.toThrow(
      /refuses the stream NEW with 3 replicas/,
    );
    await withSession(nats(), ({ jsm }) => jsm.streams.add({ name: 'FOREIGN', subjects: ['foreign.*'] }));
    await expect(prepare({ ...nats(), stream: 'FOREIGN' })).rejects.toThrow(/was not made by Savepoint/);
  });
});
