import { connect, createServer, type Socket } from 'node:net';
import { get } from '../support/service.js';

export type Balancer = Readonly<{ url: string; close(): Promise<void> }>;

type Target = Readonly<{ port: number; opsPort: number }>;

const LOOK_EVERY_MS = 500;

/** As operators have one in front of their nodes: new connections go, in turns, to the nodes whose `/readyz` says 200. */
export async function startBalancer(targets: readonly Target[]): Promise<Balancer> {
  let ready: readonly Target[] = targets;
  let turn = 0;
  const look = setInterval(async () => {
    const states = await Promise.all(targets.map(({ opsPort }) => isReady(opsPort)));
    ready = targets.filter((_, index) => states[index]);
  }, LOOK_EVERY_MS);
  const clients = new Set<Socket>();
  const server = createServer((client) => {
    clients.add(client);
    client.on('close', () => clients.delete(client));
    const target = ready[turn++ % Math.max(1, ready.length)];
    if (target === undefined) return client.destroy();
    const upstream = connect(target.port, '127.0.0.1');
    client.pipe(upstream).pipe(client);
    // Whichever ends first ends the other: a client then sends again.
    client.on('error', () => upstream.destroy()).on('close', () => upstream.destroy());
    upstream.on('error', () => client.destroy()).on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      clearInterval(look);
      const closed = new Promise((resolve) => server.close(resolve));
      // Those who still play when the soak fails would keep it open for ever.
      for (const client of clients) client.destroy();
      await closed;
    },
  };
}

async function isReady(opsPort: number): Promise<boolean> {
  const response = await get(`http://127.0.0.1:${opsPort}/readyz`).catch(() => undefined);
  return response?.status === 200;
}
