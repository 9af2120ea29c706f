import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JetStreamApiError, type JetStreamManager } from '@nats-io/jetstream';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openLink } from '../../../src/operations/queue/connection.js';
import { prepareQueue } from '../../../src/operations/queue/queue.js';
import { ensureStream, findStream, isPassing } from '../../../src/operations/queue/stream.js';
import { NATS_SERVER, type NatsServer, NEEDS_NATS, startNatsServer } from '../../support/nats-server.js';
import { withSession } from '../../support/queue-harness.js';
import { stablePort } from '../../support/stable-port.js';

/** Longer than the test itself may take: the service must not give up while the test lets it wait. */
const WAIT_MS = 3_600_000;
const STORE_BYTES = 1_048_576;
/** Reserves the whole store, so that NATS has no place for another stream. */
const OTHER = { name: 'OTHER', subjects: ['other'], max_bytes: STORE_BYTES };

/**
 * One server whose store another stream has reserved. Whether it gets its stream is up to the test alone: servers that first have to
 * become a cluster need minutes for that on a busy machine, and sometimes never do. The faults have a cluster (e2e/faults.test.ts).
 */
describe.skipIf(NATS_SERVER === undefined)(`NATS without a place for the stream${NEEDS_NATS}`, () => {
  let folder: string;
  let server: NatsServer;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'savepoint-stream-wait-'));
    const file = join(folder, 'nats.conf');
    await writeFile(file, `jetstream { max_file_store: ${STORE_BYTES} }\n`);
    server = await startNatsServer(['-c', file]);
  });
  afterAll(async () => {
    await server?.dispose();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(() => ask((jsm) => jsm.streams.add(OTHER)));

  /** Again when NATS took longer than the client waits: what is asked may be asked twice. */
  const ask = <T>(work: (jsm: JetStreamManager) => Promise<T>): Promise<T> =>
    vi.waitFor(() => withSession(server.config(''), ({ jsm }) => work(jsm)), { timeout: 180_000 });
  const makeRoom = () =>
    ask(async (jsm) => (await findStream(jsm, OTHER.name)) && (await jsm.streams.delete(OTHER.name)));
  /** How often NATS has refused something since its start. */
  const refusals = () => ask(async (jsm) => (await jsm.getAccountInfo()).api.errors);

  it('does not end the start: the service waits for it, says so once, and has the stream afterwards', async () => {
    const nats = server.config('WAITED_FOR');
    const said: string[] = [];
    let isOver = false;
    const waiting = prepareQueue(nats, 'production', (line) => said.push(line), WAIT_MS).finally(() => {
      isOver = true;
    });
    try {
      await expect.poll(() => isOver || said.length > 0).toBe(true);
      // Each attempt finds no stream, and then no place for one.
      const before = await refusals();
      await expect.poll(async () => isOver || (await refusals()) >= before + 6).toBe(true);
      expect(isOver).toBe(false);
    } finally {
      await makeRoom();
      await waiting;
    }
    expect(said).toEqual([
      expect.stringMatching(/^NATS has no place for the stream WAITED_FOR with 1 replicas yet \(.+\)\. /),
    ]);
    expect(said[0]).toContain('Waiting up to 3600 seconds for it.');
    expect(await ask((jsm) => findStream(jsm, nats.stream))).toBeDefined();
  });

  it('is told to whoever starts without the stream, and the running process has it as soon as there is room', async () => {
    const nats = server.config('WITHOUT');
    const said: string[] = [];
    await prepareQueue(nats, 'production', (line) => said.push(line), 0);
    expect(said).toEqual([expect.stringMatching(/^NATS has no place for the stream WITHOUT with 1 /)]);
    expect(said[0]).toContain('Starting without it: events are refused with 503 until it is there.');

    const logged: string[] = [];
    const logger = pino({ level: 'error' }, { write: (line: string) => logged.push(line) });
    const link = openLink({ nats, name: 'test', logger, setUp: ({ jsm }) => ensureStream(jsm, nats) });
    try {
      await expect.poll(() => logged.join('')).toContain('the event stream could not be set up on NATS');
      expect(link.live()).toBeUndefined();
      await makeRoom();
      const session = await link.waitUntilLive(WAIT_MS);
      expect(session && (await findStream(session.jsm, nats.stream))).toBeDefined();
    } finally {
      await link.close();
    }
  });
});

describe.skipIf(NATS_SERVER === undefined)(`one server of three, without the others${NEEDS_NATS}`, () => {
  let server: NatsServer;

  beforeAll(async () => {
    const routes = [await stablePort(), await stablePort(), await stablePort()].map(
      (port) => `nats://127.0.0.1:${port}`,
    );
    const [own = '', ...others] = routes;
    server = await startNatsServer([
      ...['--server_name', 'first', '--cluster_name', 'wait', '--cluster', own],
      ...['--routes', others.join(',')],
    ]);
  });
  afterAll(() => server?.dispose());

  it('does not end the start, although it has no leader', async () => {
    const nats = server.config('OF_THREE', { replicas: 3 });
    const said: string[] = [];
    await prepareQueue(nats, 'production', (line) => said.push(line), 0);
    expect(said).toEqual([expect.stringMatching(/^NATS has no place for the stream OF_THREE with 3 /)]);
    expect(said[0]).toContain('Starting without it');
  });
});

it.each([
  [10005, 'no suitable peers for placement', true],
  [10008, 'JetStream system temporarily unavailable', true],
  [10009, 'JetStream cluster not established', true],
  [10023, 'insufficient resources', true],
  [10047, 'insufficient storage resources available', true],
  [10074, 'replicas > 1 not supported in non-clustered mode', false],
  [10039, 'JetStream not enabled for account', false],
])('the error %d of NATS, "%s", may pass: %s', (err_code, description, expected) => {
  expect(isPassing(new JetStreamApiError({ code: 503, err_code, description }))).toBe(expected);
});
