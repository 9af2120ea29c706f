import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type NatsServers, startNatsServers } from '../faults/nats-servers.js';
import { lagOf } from '../faults/stack.js';
import { runSavepoint, type Service, startService, temporaryFolder, until } from '../support/service.js';
import { countCopies, type Sent, startTraffic } from './event-traffic.js';
import { startPatroniCluster } from './patroni-cluster.js';

const PLAYERS = 20;
/** Of undisturbed traffic before each kill. */
const BETWEEN_MS = 5_000;
const RECOVERY_TIMEOUT_MS = 180_000;
const GAME = ['--tenant', 'demo-studio', '--game', 'demo-game'];

/**
 * Players send, and send again what was not acknowledged, while the primary of a Patroni cluster is killed or frozen again and again. Then
 * each acknowledged event is there once, and the recount agrees.
 */
export async function tryFailover(args: readonly string[]): Promise<readonly string[]> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { nats: { type: 'boolean', default: false }, freeze: { type: 'boolean', default: false } },
  });
  const times = Number(positionals[0] ?? 3);
  const nats = values.nats ? await startNatsServers(1) : undefined;
  const cluster = await startPatroniCluster(2);
  const settings = {
    DATABASE_URL: cluster.url,
    SAVEPOINT_DATA_DIR: await temporaryFolder(),
    SAVEPOINT_DB_TIMEOUT_MS: '5000',
    ...(nats === undefined ? {} : { NATS_URL: nats.urls, SAVEPOINT_NATS_REPLICAS: String(nats.count) }),
  };
  try {
    const service = await startService(settings);
    const sent = new Map<string, Sent>();
    const traffic = await startTraffic(service.api, sent, { players: PLAYERS, sendsAgain: true });
    for (let strike = 1; strike <= times; strike++) {
      await sleep(BETWEEN_MS);
      const struckAt = Date.now();
      const name = await cluster.strikePrimary(values.freeze ? 'SIGSTOP' : 'SIGKILL');
      await until(() => newest(sent) > struckAt + 1_000, RECOVERY_TIMEOUT_MS);
      await cluster.recover(name);
      process.stdout.write(
        `${values.freeze ? 'freeze' : 'kill'} ${strike}, of ${name}: at most ${(longestGap(sent, struckAt) / 1_000).toFixed(1)} s without an acknowledgement\n`,
      );
    }
    await traffic.stop();
    await drain(service, nats);
    const problems = await checkTraffic(sent, times, settings);
    await service.interrupt();
    return problems;
  } finally {
    await cluster.stop();
    await nats?.dispose();
  }
}

/** Waits until the events that NATS has acknowledged are in the database. */
async function drain(service: Service, nats: NatsServers | undefined): Promise<void> {
  if (nats === undefined) return;
  const begun = performance.now();
  await until(async () => (await lagOf(service).catch(() => 1)) === 0, RECOVERY_TIMEOUT_MS);
  process.stdout.write(
    `NATS was empty ${((performance.now() - begun) / 1_000).toFixed(1)} s after the last event\n`,
  );
}

/** Each acknowledged event is stored once, and the recount agrees. Returns what is wrong. */
export async function checkTraffic(
  sent: ReadonlyMap<string, Sent>,
  times: number,
  settings: Record<string, string>,
): Promise<string[]> {
  const own = { ...settings, SAVEPOINT_ENV: 'development' };
  const span = ['--from', '2020-01-01', '--to', '2100-01-01'];
  const exported = await runSavepoint(['export', 'events', ...GAME, ...span], own);
  const copies = countCopies(exported.output);
  const acknowledged = [...sent].filter(([, { acknowledgedAt }]) => acknowledgedAt !== undefined);
  const lost = acknowledged.filter(([id]) => !copies.has(id)).length;
  const doubled = [...copies.values()].filter((count) => count > 1).length;
  process.stdout.write(
    `${times} times, ${acknowledged.length} acknowledged events: lost ${lost}, doubled ${doubled}\n`,
  );
  const recount = await runSavepoint(['rollups', 'check', ...GAME], own);
  process.stdout.write(`${recount.output.trim().split('\n').at(-1)}\n`);
  return [
    ...(acknowledged.length === 0 || lost + doubled > 0 ? ['events were lost or doubled'] : []),
    ...(recount.code === 0 ? [] : [`the recount does not agree: ${recount.output}`]),
  ];
}

const acknowledgements = (sent: ReadonlyMap<string, Sent>): number[] =>
  [...sent.values()].flatMap(({ acknowledgedAt }) => acknowledgedAt ?? []);

/** When the last acknowledgement came. */
function newest(sent: ReadonlyMap<string, Sent>): number {
  return acknowledgements(sent).reduce((last, at) => Math.max(last, at), 0);
}

/** The longest time without an acknowledgement since a moment, in ms. */
export function longestGap(sent: ReadonlyMap<string, Sent>, since: number): number {
  const times = acknowledgements(sent)
    .filter((at) => at > since)
    .sort((a, b) => a - b);
  return times.reduce((longest, at, index) => Math.max(longest, at - (times[index - 1] ?? since)), 0);
}
