import { createServer } from 'node:net';

/** Below the ports that systems give to outgoing connections: such a connection could take the port of a killed server. */
const PORTS = { from: 20_000, count: 12_000 };
/** Each process of a test run has a share of its own: two could choose the same port while nothing listens on it. */
const SHARES = 8;
const SHARE = PORTS.count / SHARES;
const FIRST = PORTS.from + (Number(process.env.VITEST_POOL_ID ?? 0) % SHARES) * SHARE;
/** The ports of this process. Their servers may be down now, or not up yet. */
const given = new Set<number>();

/** A free port that stays free while its server is down. */
export async function stablePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * SHARE);
    if (given.has(port)) continue;
    given.add(port);
    const isFree = await new Promise<boolean>((resolve) => {
      const probe = createServer();
      probe.once('error', () => resolve(false));
      probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}
