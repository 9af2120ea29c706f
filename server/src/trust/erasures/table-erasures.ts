import type { PlayerTableName } from '../../platform/db/player-tables.js';

/** A statement that deletes some rows of players ($1) up to a limit ($2), notes how many in `erasures`, and returns that as `n`. */
export type RowErasure = Readonly<{ delete: string }>;
/** Other code deletes the rows. */
type TableErasure = RowErasure | Readonly<{ apart: string }>;

/** Adds counts of `gone` to the requests of the players, in the transaction of the deletion. COUNTS: name, number, name, … */
const NOTE_COUNTS = `noted as (
      update erasures e set counts = jsonb_add(e.counts, g.counts)
      from (select player_id, jsonb_build_object(COUNTS) as counts from gone group by player_id) g
      where e.player_id = any($1::bigint[]) and e.player_id is not null and e.player_id = g.player_id
    )`;

export function noteCounts(counts: string): string {
  return NOTE_COUNTS.replace('COUNTS', counts);
}

/** The same, and of which time the rows were, from FIRST to LAST: exports of that time are expired. */
const NOTE_COUNTS_AND_TIMES = `noted as (
      update erasures e set counts = jsonb_add(e.counts, g.counts), first_block_at = least(e.first_block_at, g.first_at),
        last_block_at = greatest(e.last_block_at, g.last_at)
      from (
        select player_id, jsonb_build_object(COUNTS) as counts, min(FIRST) as first_at, max(LAST) as last_at
        from gone group by player_id
      ) g
      where e.player_id = any($1::bigint[]) and e.player_id is not null and e.player_id = g.player_id
    )`;

export function noteCountsAndTimes(counts: string, first: string, last: string): string {
  return NOTE_COUNTS_AND_TIMES.replace('COUNTS', counts).replace('FIRST', first).replace('LAST', last);
}

const NOTE_ROWS = noteCounts("'TABLE', count(*)");

/** By place: the statement reads the rows that it deletes, and no more. */
const DELETE_ROWS = `with gone as (
      delete from TABLE where ctid = any (array(
        select ctid from TABLE where player_id = any($1::bigint[]) limit $2
      ))
      returning player_id
    ), ${NOTE_ROWS}
    select count(*)::int as n from gone`;

function deleteRows(table: string): string {
  return DELETE_ROWS.replaceAll('TABLE', table);
}

const NOTE_FAILED_EVENTS = noteCounts("'failed_events', count(*)");

/** The limits of the inbox are measured by its totals. */
const DELETE_FAILED_EVENTS = `with gone as (
      delete from failed_events where ctid = any (array(
        select ctid from failed_events where player_id = any($1::bigint[]) limit $2
      ))
      returning player_id, game_id, replayed_at, octet_length(raw) as bytes
    ), ${NOTE_FAILED_EVENTS}, counted as (
      update failed_event_totals t set entries = t.entries - o.entries, bytes = t.bytes - o.bytes
      from (
        select game_id, count(*) as entries, sum(bytes) as bytes from gone where replayed_at is null group by game_id
      ) o
      where t.game_id = o.game_id
    )
    select count(*)::int as n from gone`;

const NOTE_CHANGES = noteCountsAndTimes("'transaction_changes', count(*)", 'at', 'at');

/** Exports of events hold the changes of their time, too. */
const DELETE_CHANGES = `with gone as (
      delete from transaction_changes where ctid = any (array(
        select ctid from transaction_changes where player_id = any($1::bigint[]) limit $2
      ))
      returning player_id, at
    ), ${NOTE_CHANGES}
    select count(*)::int as n from gone`;

/** What becomes of every table of a player. The compiler wants a line for each of PLAYER_TABLES. */
export const TABLE_ERASURES: Readonly<Record<PlayerTableName, TableErasure>> = {
  players: { apart: 'begin-queries.ts, before everything else' },
  erasures: { apart: 'finish-queries.ts: the row stays as the receipt, without ids' },
  event_blocks: { apart: 'erase-events.ts, one partition after the other' },
  event_identities: { apart: 'erase-identities.ts: there is no index by player' },
  transactions: { apart: 'erase-transactions.ts, which keeps what tax law wants' },
  transaction_changes: { delete: DELETE_CHANGES },
  player_days: { delete: deleteRows('player_days') },
  player_promotions: { delete: deleteRows('player_promotions') },
  flag_overrides: { delete: deleteRows('flag_overrides') },
  player_pins: { delete: deleteRows('player_pins') },
  segment_stays: { delete: deleteRows('segment_stays') },
  experiment_exposures: { delete: deleteRows('experiment_exposures') },
  event_installs: { delete: deleteRows('event_installs') },
  event_gaps: { delete: deleteRows('event_gaps') },
  player_notes: { delete: deleteRows('player_notes') },
  player_exports: { delete: deleteRows('player_exports') },
  player_keys: { delete: deleteRows('player_keys') },
  failed_events: { delete: DELETE_FAILED_EVENTS },
  // The request has deleted these three. Rows of requests that had begun before may come later.
  erasure_codes: { delete: deleteRows('erasure_codes') },
  devices: { delete: deleteRows('devices') },
  sessions: { delete: deleteRows('sessions') },
};
