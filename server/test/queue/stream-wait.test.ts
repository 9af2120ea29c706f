import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openLink } from '../../src/queue/connection.js';
import { prepareQueue } from '../../src/queue/queue.js';
import { ensureStream, findStream } from '../../src/queue/stream.js';
import type { NatsSettings } from '../../src/settings/settings.js';
import { NATS_SERVER, type NatsServer, NEEDS_NATS, startNatsServer } from '../support/nats-server.js';
import { withSession } from '../support/queue-harness.js';
import { stablePort } from '../support/stable-port.js';

const logger = pino({ level: 'silent' });
const TIMEOUT_MS = 300_000;

describe.skipIf(NATS_SERVER === undefined)(
  `a cluster that begins with one server of three${NEEDS_NATS}`,
  () => {
    const servers: NatsServer[] = [];
    let routes: string[];
    let nats: NatsSettings;

    const startServer = async (): Promise<NatsServer> => {
      const index = servers.length;
      const server = await startNatsServer([
        ...['--server_name', `server-${index}`, '--cluster_name', 'wait', '--cluster', routes[index] ?? ''],
        ...['--routes', routes.filter((_, other) => other !== index).join(',')],
      ]);
      servers.push(server);
      return server;
    };

    beforeAll(async () => {
      const ports = [await stablePort(), await stablePort(), await stablePort()];
      routes = ports.map((port) => `nats://127.0.0.1:${port}`);
      nats = (await startServer()).config('WAITED_FOR', { replicas: 3 });
    });
    afterAll(async () => {
      for (const server of servers) await server.dispose();
    });

    it(
      'does not end the start: the service waits for the stream, says so, and has it once the servers are there',
      async () => {
        const withoutIt: string[] = [];
        await prepareQueue(nats, 'production', (line) => withoutIt.push(line), 0);
        expect(withoutIt).toEqual([
          expect.stringMatching(/^NATS has no place for the stream WAITED_FOR with 3 /),
        ]);
        expect(withoutIt[0]).toContain('Starting without it: events are refused with 503 until it is there.');

        const said: string[] = [];
        const waiting = prepareQueue(nats, 'production', (line) => said.push(line), TIMEOUT_MS);
        // A process that was started without the stream.
        const link = openLink({ nats, name: 'test', logger, setUp: ({ jsm }) => ensureStream(jsm, nats) });
        await vi.waitUntil(() => said.length > 0, { timeout: TIMEOUT_MS });
        expect(said).toEqual([expect.stringContaining('Waiting up to 300 seconds for it.')]);
        expect(link.live()).toBeUndefined();

        await startServer();
        await startServer();
        await waiting;
        expect(said).toHaveLength(1);
        const stream = await withSession(nats, ({ jsm }) => findStream(jsm, nats.stream));
        expect(stream?.config.num_replicas).toBe(3);
        expect(await link.waitUntilLive(TIMEOUT_MS)).toBeDefined();
        await link.close();
      },
      2 * TIMEOUT_MS,
    );
  },
);
