import type { RejectionCode } from '../../core/events/intake/rejections.js';
import { serviceActor } from '../../platform/admin-api/audit-log.js';
import { type Pool, query } from '../../platform/db/pool.js';
import { MINUTE_MS } from '../../platform/lib/day.js';
import { done, type MaintenanceStep } from '../../platform/lifecycle/maintenance-step.js';
import { type ReplayTools, replayFailedGroup } from './replay.js';

/** The name of the step. */
export const WAITING_PURCHASES = 'waiting_purchases';

const WAITING: RejectionCode = 'store_not_configured';

/**
 * How long after a change of a game's stores its waiting purchases are replayed. More than once: a batch in flight may still have been
 * checked by the settings of before, and a replay may be interrupted. Not for ever: those of a store that is still not set up, of which
 * the inbox may hold a million, are read each time.
 */
const TRIED_FOR_MS = 15 * MINUTE_MS;

/** Replays purchases whose receipt could not be checked before their store was set up. Returns how many count now. */
export async function replayWaiting(
  tools: ReplayTools,
  { nowMs, signal }: Readonly<{ nowMs: number; signal?: AbortSignal }>,
): Promise<number> {
  let replayed = 0;
  for (const gameId of await listGamesToReplay(tools.pool, nowMs - TRIED_FOR_MS)) {
    const run = { actor: serviceActor(nowMs), ...(signal && { signal }) };
    replayed += (await replayFailedGroup(tools, { gameId, code: WAITING }, run)).replayed;
  }
  return replayed;
}

/** Games with a store whose settings have changed since a time, and with a purchase that waits. */
async function listGamesToReplay(pool: Pool, sinceMs: number): Promise<number[]> {
  const rows = await query<{ gameId: number }>(
    pool,
    {
      name: 'list_games_to_replay',
      text: `select s.game_id as "gameId"
             from game_stores s
             where s.updated_at > $1 and (s.settings -> 'apple' <> 'null' or s.settings -> 'google' <> 'null')
               and exists (
                 select from failed_events f
                 where f.game_id = s.game_id and f.code = $2 and f.replayed_at is null
                 offset 0
               )
             order by s.game_id`,
    },
    [new Date(sinceMs), WAITING],
  );
  return rows.map(({ gameId }) => gameId);
}

export function waitingPurchasesStep(tools: ReplayTools): MaintenanceStep {
  return {
    name: WAITING_PURCHASES,
    maxMs: 10 * MINUTE_MS,
    async run({ nowMs, signal }) {
      const purchasesReplayed = await replayWaiting(tools, { nowMs, signal });
      return done({ purchasesReplayed });
    },
  };
}
