import { createServer } from 'node:net';

/** Below the ports that systems give to outgoing connections: such a connection could take the port of a killed server. */
const PORTS = { from: 20_000, count: 12_000 };

/** A free port that stays free while its server is down. */
export async function stablePort(): Promise<number> {
  for (;;) {
    const port = PORTS.from + Math.floor(Math.random() * PORTS.count);
    const isFree = await new Promise<boolean>((resolve) => {
      const probe = createServer();
      probe.once('error', () => resolve(false));
      probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}
