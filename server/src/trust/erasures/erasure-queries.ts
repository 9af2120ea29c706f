import { NEWEST, type TimePage } from '../../platform/admin-api/page-cursor.js';
import { type Pool, query } from '../../platform/db/pool.js';
import { ERASURE_COLUMNS, type Erasure } from './erasure.js';

/** A page of requests, newest first, and one row more if there is a next page. */
export function listErasures(
  pool: Pool,
  gameId: number,
  { after = NEWEST, limit }: TimePage,
): Promise<Erasure[]> {
  return query<Erasure>(
    pool,
    {
      name: 'list_erasures',
      text: `select ${ERASURE_COLUMNS} from erasures
             where game_id between $1 and $1 and (requested_at, id) < ($2, $3)
             order by game_id desc, requested_at desc, id desc
             limit $4`,
    },
    [gameId, new Date(after.at), after.id, limit + 1],
  );
}

export async function findErasure(
  pool: Pool,
  gameId: number,
  erasureId: string,
): Promise<Erasure | undefined> {
  const rows = await query<Erasure>(
    pool,
    {
      name: 'find_erasure',
      text: `select ${ERASURE_COLUMNS} from erasures where id = $2 and game_id = $1`,
    },
    [gameId, erasureId],
  );
  return rows[0];
}

/** The last request of each player that was not withdrawn, by their hashes. */
export function listErasuresByHash(
  pool: Pool,
  gameId: number,
  playerHashes: readonly Buffer[],
): Promise<Pick<Erasure, 'playerHash' | 'state' | 'receipt'>[]> {
  return query<Pick<Erasure, 'playerHash' | 'state' | 'receipt'>>(
    pool,
    {
      name: 'list_erasures_by_hash',
      text: `select e.player_hash as "playerHash", e.state, e.receipt
             from unnest($2::bytea[]) w(hash)
             cross join lateral (
               select * from erasures e
               where e.player_hash = w.hash and e.state <> 'withdrawn'
               offset 0
             ) e
             where e.game_id = $1`,
    },
    [gameId, playerHashes],
  );
}

/** Counting further would take long, and nobody reads a larger number more exactly. */
const MAX_COUNTED = 10_000;

/** Tables that are counted one row at a time; the player's own row counts the events. */
const COUNTED = [
  'player_days',
  'transactions',
  'player_promotions',
  'flag_overrides',
  'player_pins',
  'segment_stays',
  'experiment_exposures',
  'devices',
  'sessions',
  'event_installs',
  'event_gaps',
  'player_notes',
  'failed_events',
] as const;

const COUNT = `'TABLE', (select count(*) from (select from TABLE where player_id = p.id limit ${MAX_COUNTED}) c)`;
const COUNTS = COUNTED.map((table) => COUNT.replaceAll('TABLE', table)).join(', ');

export type ErasurePreview = { goes: Record<string, number>; taxRecords: number; waitDays: number };

/** What an erasure of the player would delete now. */
export async function previewErasure(pool: Pool, playerId: string): Promise<ErasurePreview | undefined> {
  const rows = await query<ErasurePreview>(
    pool,
    {
      name: 'preview_erasure',
      text: `select jsonb_build_object('events', p.event_count,
               ${COUNTS}) as goes,
               (
                 select count(*)::int
                 from (select from transactions where player_id = p.id and purchased_at is not null limit ${MAX_COUNTED}) c
               ) as "taxRecords",
               g.erasure_wait_days as "waitDays"
             from players p
             join lateral (select * from games g where g.id = p.game_id offset 0) g on true
             where p.id = $1`,
    },
    [playerId],
  );
  return rows[0];
}
