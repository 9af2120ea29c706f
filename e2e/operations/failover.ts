import { setTimeout as sleep } from 'node:timers/promises';
import { runSavepoint, startService, temporaryFolder, until } from '../support/service.js';
import { countCopies, type Sent, startTraffic } from './event-traffic.js';
import { startPatroniCluster } from './patroni-cluster.js';

const PLAYERS = 20;
const DEFAULT_KILLS = 3;
/** Of undisturbed traffic before each kill. */
const BETWEEN_MS = 5_000;
const RECOVERY_TIMEOUT_MS = 120_000;
const GAME = ['--tenant', 'demo-studio', '--game', 'demo-game'];

/**
 * Players send, and send again what was not acknowledged, while the primary of a Patroni cluster is killed again and again. Then each
 * acknowledged event is there once, and the recount agrees.
 */
export async function tryFailover(args: readonly string[]): Promise<readonly string[]> {
  const kills = Number(args[0] ?? DEFAULT_KILLS);
  const cluster = await startPatroniCluster();
  const settings = {
    DATABASE_URL: cluster.url,
    SAVEPOINT_DATA_DIR: await temporaryFolder(),
    SAVEPOINT_DB_TIMEOUT_MS: '5000',
  };
  const problems: string[] = [];
  try {
    const service = await startService(settings);
    const sent = new Map<string, Sent>();
    const traffic = await startTraffic(service.api, sent, { players: PLAYERS, sendsAgain: true });
    for (let kill = 1; kill <= kills; kill++) {
      await sleep(BETWEEN_MS);
      const killedAt = Date.now();
      const name = await cluster.killPrimary();
      await until(() => newest(sent) > killedAt + 1_000, RECOVERY_TIMEOUT_MS);
      process.stdout.write(
        `kill ${kill}, of ${name}: ${((newest(sent) - killedAt) / 1_000).toFixed(1)} s without acknowledgements\n`,
      );
      await cluster.recover(name);
    }
    await traffic.stop();
    const exported = await runSavepoint(
      ['export', 'events', ...GAME, '--from', '2020-01-01', '--to', '2100-01-01'],
      { ...settings, SAVEPOINT_ENV: 'development' },
    );
    const copies = countCopies(exported.output);
    const acknowledged = [...sent].filter(([, { acknowledgedAt }]) => acknowledgedAt !== undefined);
    const lost = acknowledged.filter(([id]) => !copies.has(id)).length;
    const doubled = [...copies.values()].filter((count) => count > 1).length;
    process.stdout.write(
      `${kills} kills, ${acknowledged.length} acknowledged events: lost ${lost}, doubled ${doubled}\n`,
    );
    if (acknowledged.length === 0 || lost + doubled > 0) problems.push('events were lost or doubled');
    const check = await runSavepoint(['rollups', 'check', ...GAME], {
      ...settings,
      SAVEPOINT_ENV: 'development',
    });
    process.stdout.write(`${check.output.trim().split('\n').at(-1)}\n`);
    if (check.code !== 0) problems.push(`the recount does not agree: ${check.output}`);
    await service.interrupt();
    return problems;
  } finally {
    await cluster.stop();
  }
}

/** When the last acknowledgement came. */
function newest(sent: ReadonlyMap<string, Sent>): number {
  let last = 0;
  for (const { acknowledgedAt = 0 } of sent.values()) last = Math.max(last, acknowledgedAt);
  return last;
}
