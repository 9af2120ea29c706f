import type { FastifyListenOptions } from 'fastify';

/**
 * How a worker listens on the port that all workers share. On Linux each worker binds the port, and the kernel spreads the
 * connections over the workers (`reusePort`). Node before 22.12 ignores this option: there, and on other systems, the primary
 * accepts the connections and hands them to the workers in turn, as Node's cluster does by default.
 *
 * Port 0 always goes through the primary: workers that bind it themselves would get a different port each.
 */
export function sharedPort(host: string, port: number, platform = process.platform): SharedPort {
  return { host, port, reusePort: platform === 'linux' && port !== 0 };
}

type SharedPort = FastifyListenOptions & { reusePort: boolean };
