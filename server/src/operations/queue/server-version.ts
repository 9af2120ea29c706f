import { StartupError } from '../../platform/lib/startup-error.js';
import type { NatsSettings, Settings } from '../../platform/settings/settings.js';
import { connectToNats } from './connection.js';

/**
 * The first release that kept every acknowledged message in our fault tests and has no known crash that loses a stream. A
 * cluster of three 2.9.10 servers lost messages when one of them was killed (ADR 0006).
 */
export const OLDEST_SAFE_VERSION = '2.10.23';

export type ServerVersion = Readonly<{ server: string; version: string }>;

export function isSafeVersion(version: string): boolean {
  return compareVersions(version, OLDEST_SAFE_VERSION) >= 0;
}

/** By major, minor and patch; what follows them (`-RC.1`) does not count. */
function compareVersions(left: string, right: string): number {
  const [a, b] = [left, right].map((text) =>
    text.split('.', 3).map((part) => Number.parseInt(part, 10) || 0),
  );
  for (const at of [0, 1, 2]) {
    const difference = (a?.[at] ?? 0) - (b?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The version of every server of NATS_URL that responds. A server that is down is looked at when it is started. */
export async function listServerVersions(nats: NatsSettings): Promise<ServerVersion[]> {
  const results = await Promise.allSettled(
    nats.servers.map(async (server) => {
      const { nc } = await connectToNats(nats, 'savepoint version check', server);
      const version = nc.info?.version ?? 'unknown';
      const found = { server: nc.getServer(), version };
      await nc.close();
      return found;
    }),
  );
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}

/** What is wrong with a server before 2.10.23, and what to do about it. */
function describeUnsafe({ server, version }: ServerVersion): string {
  return `NATS at ${server} is version ${version}, and versions before ${OLDEST_SAFE_VERSION} can lose events that were acknowledged. Upgrade every NATS server to ${OLDEST_SAFE_VERSION} or newer.`;
}

/** Refuses an old server in production. In development the operator is only told. */
export async function requireSafeServers(
  nats: NatsSettings,
  environment: Settings['environment'],
  say: (line: string) => void,
): Promise<void> {
  const unsafe = (await listServerVersions(nats)).find(({ version }) => !isSafeVersion(version));
  if (unsafe === undefined) return;
  if (environment === 'production') throw new StartupError(describeUnsafe(unsafe));
  say(`Warning: ${describeUnsafe(unsafe)}`);
}
