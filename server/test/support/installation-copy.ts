import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { exportEvents } from '../../src/insight/exports/export-events.js';
import { exportPlayers } from '../../src/insight/exports/export-players.js';
import { openFileTarget } from '../../src/insight/exports/export-target.js';
import type { Pool } from '../../src/platform/db/pool.js';
import type { Span } from '../../src/studio/jobs/export-span.js';
import { EVERYTHING } from './closed-day.js';

/** Writes the events of a game to a file, as the command does. */
export async function exportEventsTo(
  pool: Pool,
  gameId: number,
  path: string,
  span: Span = EVERYTHING,
): Promise<void> {
  const subject = { tenant: 't', game: 'g', format: 'ndjson', ...span } as const;
  const target = await openFileTarget(path, subject, { resume: false });
  await exportEvents(pool, { gameId, span, format: 'ndjson', target, after: null });
}

export async function exportPlayersTo(pool: Pool, gameId: number, path: string): Promise<void> {
  await exportPlayers(pool, gameId, (pages) => pipeline(pages, createWriteStream(path)));
}

/**
 * What the fold keeps, each row without the ids that differ between installations, and roll-ups without their shards. A row of zeros is
 * the same as no row: a purchase and its refund leave one, in one order and not in the other.
 */
const KEPT: Record<string, string> = {
  players: `select to_jsonb(p) - 'id' - 'game_id' as row from players p where game_id = $1`,
  days: `select to_jsonb(d) - 'player_id' || jsonb_build_object('user', p.user_id) as row
         from player_days d join players p on p.id = d.player_id where p.game_id = $1 and d.events + d.purchases <> 0`,
  transactions: `select to_jsonb(t) - 'player_id' - 'game_id' || jsonb_build_object('user', p.user_id) as row
                 from transactions t join players p on p.id = t.player_id where p.game_id = $1`,
  changes: `select to_jsonb(c) - 'player_id' - 'game_id' || jsonb_build_object('user', p.user_id) as row
            from transaction_changes c join players p on p.id = c.player_id where p.game_id = $1`,
  promotions: `select to_jsonb(t) - 'player_id' || jsonb_build_object('user', p.user_id) as row
               from player_promotions t join players p on p.id = t.player_id where p.game_id = $1 and t.purchases <> 0`,
  installs: `select to_jsonb(i) - 'player_id' || jsonb_build_object('user', p.user_id) as row
             from event_installs i join players p on p.id = i.player_id where p.game_id = $1`,
  devices: `select to_jsonb(d) - 'player_id' - 'own_player_id' - 'game_id'
              || jsonb_build_object('user', p.user_id, 'own', o.user_id) as row
            from devices d join players p on p.id = d.player_id left join players o on o.id = d.own_player_id
            where d.game_id = $1`,
  gameDays: `select jsonb_build_object('day', day, 'active', sum(active_players), 'new', sum(new_players), 'events', sum(events),
               'sessions', sum(sessions), 'ads', sum(ad_impressions), 'views', sum(store_views), 'play', sum(play_ms),
               'paying', sum(paying_players), 'purchases', sum(purchases), 'revenue', jsonb_total(revenue),
               'verified', jsonb_total(verified_revenue), 'refunded', jsonb_total(refunded_revenue)) as row
             from game_days where game_id = $1 group by day
             having sum(new_players) <> 0 or sum(events) <> 0 or sum(purchases) <> 0 or jsonb_total(refunded_revenue) <> '{}'`,
  types: `select jsonb_build_object('day', day, 'type', event_type, 'events', sum(events)) as row
          from game_event_types where game_id = $1 group by day, event_type`,
  cohorts: `select jsonb_build_object('cohort', cohort_day, 'day', active_day, 'players', sum(players)) as row
            from game_cohorts where game_id = $1 group by cohort_day, active_day having sum(players) <> 0`,
};

export type KeptRows = Record<string, string[]>;

export async function keptRows(pool: Pool, gameId: number): Promise<KeptRows> {
  const kept: KeptRows = {};
  for (const [name, text] of Object.entries(KEPT)) {
    const { rows } = await pool.query<{ row: object }>(text, [gameId]);
    kept[name] = rows.map(({ row }) => JSON.stringify(row)).sort();
  }
  return kept;
}
