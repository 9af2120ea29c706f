import { applyEvents } from '../../server/src/core/events/apply/apply-events.js';
import { checkEvents } from '../../server/src/core/events/intake/check-events.js';
import { recordsOfPlayer } from '../../server/src/core/events/intake/event-record.js';
import { dayTable } from '../../server/src/core/events/storage/event-partitions.js';
import type { Pool } from '../../server/src/platform/db/pool.js';
import { ensureDays } from '../../server/test/support/event-days.js';
import { login } from '../support/service.js';

const PLAYERS = 200;
/** Of each player, each in a request of its own. So many small blocks are worth compacting. */
const EVENTS_PER_PLAYER = 75;
const DAY_MS = 86_400_000;
/** Compaction leaves the last days alone: events that waited in a queue may still come. */
const CLOSED_DAYS = 4;
/** So many of the filled days stay, the others are past the retention. */
export const KEPT_DAYS = 3;

export type PastDays = Readonly<{
  /** Stores the day of a round as the service would have stored it then. Returns the retention that now lets some days expire. */
  fill(round: number): Promise<number>;
  /** Of the filled days: those that are still there, and those of them that are compacted. */
  count(): Promise<{ filled: number; present: number; compacted: number }>;
}>;

type Player = { playerId: string; gameId: number; userId: string };

/** Days cannot be hurried. So each round of the soak fills a closed day, the oldest first, and shortens the retention by one. */
export async function openPastDays(pool: Pool, api: string, rounds: number): Promise<PastDays> {
  const userIds: string[] = [];
  for (let n = 0; n < PLAYERS; n++) userIds.push((await login(api, `past-${n}`)).userId);
  const { rows: players } = await pool.query<Player>(
    'select id as "playerId", game_id as "gameId", user_id as "userId" from players where user_id = any($1)',
    [userIds],
  );
  const filled: string[] = [];
  return {
    async fill(round) {
      const age = CLOSED_DAYS + rounds - round;
      const day = new Date(Date.now() - age * DAY_MS).toISOString().slice(0, 10);
      await ensureDays(pool, [day]);
      for (let n = 0; n < EVENTS_PER_PLAYER; n++) await applySingles(pool, players, Date.parse(day), n);
      filled.push(day);
      return age + KEPT_DAYS - 1;
    },
    async count() {
      const { rows } = await pool.query<{ present: number; compacted: number }>(
        `select count(to_regclass(p.name))::int as present,
           count(d.day) filter (where d.state = 'compacted' and to_regclass(p.name) is not null)::int as compacted
         from unnest($1::text[], $2::date[]) as p (name, day)
         left join event_block_days d using (day)`,
        [filled.map(dayTable), filled],
      );
      return { filled: filled.length, present: rows[0]?.present ?? 0, compacted: rows[0]?.compacted ?? 0 };
    },
  };
}

/** One event of each player, at the same time of the day. */
async function applySingles(
  pool: Pool,
  players: readonly Player[],
  dayMs: number,
  number: number,
): Promise<void> {
  const atMs = dayMs + (number * DAY_MS) / EVENTS_PER_PLAYER;
  const event = {
    eventType: 'Level_Complete',
    timestamp: new Date(atMs).toISOString(),
    payload: { level: number },
  };
  const records = players.flatMap((player) => {
    const sender = { userId: player.userId, installId: null };
    const checked = checkEvents({ events: [event], bytes: 0, suspicious: true }, sender, atMs);
    return recordsOfPlayer(checked.events, player);
  });
  await applyEvents(pool, records);
}
