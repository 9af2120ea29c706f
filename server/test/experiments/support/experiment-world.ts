import { DEMO } from '../../../src/app/demo-studio.js';
import { applyEvents } from '../../../src/core/events/apply/apply-events.js';
import type { ConfigDocument } from '../../../src/decide/document/document.js';
import type { ExperimentEntry } from '../../../src/decide/document/parts/experiments.js';
import { type SumOptions, sumExperiments } from '../../../src/experiments/sum-experiments.js';
import { publishConfig } from '../../../src/liveops/configs/publish.js';
import { findGame, insertGame } from '../../../src/platform/admin-api/tenants.js';
import {
  type DedicatedConnection,
  walkByIndex,
  withDedicatedConnection,
} from '../../../src/platform/db/dedicated-connection.js';
import { configWith } from '../../decide/support/fixtures.js';
import { DAY_MS, type TestPlayer, toRecords } from '../../support/game-world.js';
import type { Harness } from '../../support/harness.js';

export const NOW = Date.parse('2026-11-15T12:00:00Z');
export const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
export const at = (daysAgo: number) => NOW - daysAgo * DAY_MS;

export async function addGame({ pool }: Harness, slug: string): Promise<number> {
  await insertGame(pool, DEMO.tenant, slug, slug);
  const game = await findGame(pool, DEMO.tenant, slug);
  if (game === undefined) throw new Error(`there is no game ${slug}`);
  return game.id;
}

export async function publish(
  { pool }: Harness,
  gameId: number,
  experiments: ExperimentEntry[],
  { nowMs, note = '', ...parts }: { nowMs: number; note?: string } & Partial<ConfigDocument>,
): Promise<void> {
  const document = configWith({ ...parts, experiments });
  const publication = { gameId, document, note, confirmPriceRaises: true };
  const { outcome } = await publishConfig(pool, publication, { name: 'test', nowMs });
  if (outcome !== 'published') throw new Error(outcome);
}

/** Players as they are after a first login. */
export async function addPlayers(
  { pool }: Harness,
  gameId: number,
  count: number,
  createdAt: number,
): Promise<TestPlayer[]> {
  const { rows } = await pool.query<{ playerId: string; userId: string }>(
    `insert into players (game_id, user_id, created_at) select $1, gen_random_uuid(), $3 from generate_series(1, $2)
     returning id as "playerId", user_id as "userId"`,
    [gameId, count, new Date(createdAt)],
  );
  return rows.map((row) => ({ ...row, gameId, createdAt }));
}

export async function expose(
  { pool }: Harness,
  players: readonly TestPlayer[],
  { experimentId, seed }: ExperimentEntry,
  exposure: (
    player: TestPlayer,
    index: number,
  ) => { variantId: string; exposedAt: number; activatedAt?: number },
): Promise<void> {
  const rows = players.map((player, index) => ({ ...player, ...exposure(player, index) }));
  await pool.query(
    `insert into experiment_exposures (player_id, game_id, experiment_id, seed, variant_id, exposed_at, activated_at)
     select p.id, p.game_id, $2, $3, x.variant, x.at, x.activated
     from unnest($1::bigint[], $4::text[], $5::timestamptz[], $6::timestamptz[]) as x (id, variant, at, activated)
     join players p on p.id = x.id`,
    [
      rows.map(({ playerId }) => playerId),
      ...[experimentId, seed],
      rows.map(({ variantId }) => variantId),
      rows.map(({ exposedAt }) => new Date(exposedAt)),
      rows.map(({ activatedAt }) => (activatedAt === undefined ? null : new Date(activatedAt))),
    ],
  );
}

export const event = (eventType: string, ms: number, payload = {}) => ({
  eventType,
  timestamp: new Date(ms).toISOString(),
  payload,
});

export const purchase = (id: string, ms: number, price: string) =>
  event('Purchase', ms, { transactionId: id, skuId: 'a', price, currency: 'USD' });

/** Each player sends the events of `eventsOf`. */
export async function play(
  { pool }: Harness,
  players: readonly TestPlayer[],
  eventsOf: (index: number) => ReturnType<typeof event>[],
): Promise<void> {
  await applyEvents(
    pool,
    players.flatMap((player, index) => toRecords(player, eventsOf(index), NOW)),
  );
}

/** Does what maintenance does. */
export function sum(
  { pool }: Harness,
  options: Partial<SumOptions> = {},
  use: (connection: DedicatedConnection) => void = () => {},
) {
  return withDedicatedConnection(pool, async (connection) => {
    await walkByIndex(connection);
    use(connection);
    return sumExperiments(connection, { pool, nowMs: NOW, playersPerChunk: 50, ...options });
  });
}

/** The numbers of an array that is sent as a text. */
export function numbersOf(text: unknown): number[] {
  return String(text).slice(1, -1).split(',').map(Number);
}
