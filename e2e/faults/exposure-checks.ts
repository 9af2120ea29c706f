import type pg from 'pg';
import { ACTIVATED, EXPERIMENT_IDS, LAYERS } from './exposure-document.js';
import type { Player } from './exposure-players.js';
import type { ToldArms } from './told-arms.js';

/** A row of `experiment_exposures`. Times are epoch milliseconds. */
export type StoredArm = Readonly<{
  userId: string;
  experimentId: string;
  seed: string;
  variantId: string;
  exposedAt: number;
  activatedAt: number | null;
}>;

export async function listStored(client: pg.Client): Promise<StoredArm[]> {
  const { rows } = await client.query<StoredArm>(
    `select p.user_id::text as "userId", e.experiment_id as "experimentId", e.seed, e.variant_id as "variantId",
       floor(extract(epoch from e.exposed_at) * 1000)::float8 as "exposedAt",
       floor(extract(epoch from e.activated_at) * 1000)::float8 as "activatedAt"
     from experiment_exposures e left join players p on p.id = e.player_id
     where e.game_id = (select id from games where slug = 'demo-game')`,
  );
  return rows;
}

type Key = Pick<StoredArm, 'userId' | 'experimentId' | 'seed'>;
const keyOf = ({ userId, experimentId, seed }: Key) => `${userId} ${experimentId} ${seed}`;

export type Findings = { problems: string[]; numbers: Record<string, number> };

type World = Readonly<{ stored: readonly StoredArm[]; told: ToldArms; players: readonly Player[] }>;

/** A response may be lost while its statement waits for PostgreSQL, which is started again. */
const LATE_MS = 60_000;

/**
 * Rows that are older than the first response that told them. Each was decided by an earlier request of the player: its response was lost, or
 * shows other arms.
 */
export function checkSilent({ stored, told, players }: World): Findings {
  const numbers = new Map(players.map(({ number, login }) => [login?.userId, number]));
  const problems: string[] = [];
  let [lost, hidden] = [0, 0];
  for (const row of stored) {
    const player = numbers.get(row.userId) ?? -1;
    const first = told.find(player, row.experimentId, row.seed);
    if (first !== undefined && first.span.beganAt <= row.exposedAt) continue;
    const silences = told.silences.filter(
      (silence) =>
        silence.player === player &&
        silence.beganAt <= row.exposedAt &&
        row.exposedAt <= silence.endedAt + (silence.isLost ? LATE_MS : 0),
    );
    if (silences.some(({ isLost }) => !isLost)) hidden++;
    else if (silences.length > 0) lost++;
    else problems.push(`${keyOf(row)} is stored as ${row.variantId} by no response that was told or lost`);
  }
  return {
    problems,
    numbers: { 'stored by a response that was lost': lost, 'stored by one that shows other arms': hidden },
  };
}

/** After every player has read all arms: each told arm has one row, and each row was told, both with the first variant. */
export function checkTold({ stored, told, players }: World): Findings {
  const problems: string[] = [];
  const rows = new Map<string, StoredArm>();
  for (const row of stored) {
    if (rows.has(keyOf(row))) problems.push(`${keyOf(row)} is stored twice`);
    rows.set(keyOf(row), row);
  }
  let late = 0;
  for (const arm of told.all) {
    const key = keyOf({ ...arm, userId: players[arm.player]?.login?.userId ?? '' });
    const row = rows.get(key);
    rows.delete(key);
    if (row === undefined) problems.push(`${key} was told as ${arm.variantId} and is not stored`);
    else if (row.variantId !== arm.variantId)
      problems.push(`${key} was told as ${arm.variantId} first and is stored as ${row.variantId}`);
    else if (row.exposedAt > arm.span.endedAt) late++;
  }
  for (const [key, { variantId }] of rows)
    problems.push(`${key} is stored as ${variantId} and was never told`);
  return { problems, numbers: { 'told before it could be stored': late } };
}

/** What is stored stays as it is, whatever is published or killed. */
export function checkKept(before: readonly StoredArm[], after: readonly StoredArm[]): string[] {
  const now = new Map(after.map((row) => [keyOf(row), row]));
  return before.flatMap((row) => {
    const kept = now.get(keyOf(row));
    if (kept?.variantId === row.variantId && kept.exposedAt === row.exposedAt) return [];
    return [`${keyOf(row)} was stored as ${row.variantId} and is ${kept?.variantId ?? 'gone'} now`];
  });
}

/**
 * The first event after the exposure activates. One that was sent after the player was told certainly does; one between the decision and its
 * response may, as it may be applied before the exposure is stored.
 */
export function checkActivated({ stored, told, players }: World): Findings {
  const byUser = new Map(players.map((player) => [player.login?.userId, player]));
  const problems: string[] = [];
  let activated = 0;
  for (const row of stored) {
    const { number, visits } = byUser.get(row.userId) ?? { number: -1, visits: [] };
    if (row.activatedAt !== null) activated++;
    if (row.experimentId !== ACTIVATED) {
      if (row.activatedAt !== null) problems.push(`${keyOf(row)} is activated, and has no activation`);
      continue;
    }
    const after = visits.filter((visit) => visit >= row.exposedAt);
    const known = told.activatedKnownAfter(number, row.exposedAt);
    const latest = Math.min(...after.filter((visit) => visit >= known));
    const isRight =
      row.activatedAt === null
        ? latest === Number.POSITIVE_INFINITY
        : after.includes(row.activatedAt) && row.activatedAt <= latest;
    if (isRight) continue;
    problems.push(
      `${keyOf(row)} is activated at ${row.activatedAt}; exposed at ${row.exposedAt}, known at ${known}, events at ${visits.join(', ')}`,
    );
  }
  return { problems, numbers: { activated } };
}

/** Every experiment has players, or the trial has tried nothing, and experiments of one layer share none. */
export function checkPlaces(stored: readonly StoredArm[]): string[] {
  const usersOf = (id: string) =>
    new Set(stored.filter(({ experimentId }) => experimentId === id).map(({ userId }) => userId));
  const empty = EXPERIMENT_IDS.filter((id) => usersOf(id).size === 0);
  const shared = LAYERS.flatMap(([one, other]) => {
    const users = usersOf(one);
    const both = [...usersOf(other)].filter((userId) => users.has(userId));
    return both.map((userId) => `${userId} is in ${one} and in ${other}, which are in one layer`);
  });
  return [...empty.map((id) => `nobody is in ${id}`), ...shared];
}
