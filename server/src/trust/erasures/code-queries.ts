import { type Client, type Pool, query } from '../../platform/db/pool.js';

export type ShownCode = Readonly<{ playerId: string; codeHash: Buffer; nowMs: number; expiresAt: number }>;

/**
 * Stores the code that was made now, or lets the one that is there hold for longer. Returns when the code was made that counts; undefined if
 * the game has no page for it.
 */
export async function upsertErasureCode(
  pool: Pool,
  { playerId, codeHash, nowMs, expiresAt }: ShownCode,
): Promise<number | undefined> {
  const rows = await query<{ createdAt: number }>(
    pool,
    {
      name: 'upsert_erasure_code',
      text: `insert into erasure_codes as c (player_id, game_id, code_hash, created_at, expires_at)
             select p.id, p.game_id, $2, $3, $4
             from players p
             join lateral (select erasure_page from games g where g.id = p.game_id offset 0) g on g.erasure_page
             where p.id = $1 and p.erase_requested_at is null
             for key share of p
             on conflict (player_id) do update set
               code_hash = case when c.expires_at > $3 then c.code_hash else excluded.code_hash end,
               created_at = case when c.expires_at > $3 then c.created_at else excluded.created_at end,
               expires_at = excluded.expires_at
             returning created_at as "createdAt"`,
    },
    [playerId, codeHash, new Date(nowMs), new Date(expiresAt)],
  );
  return rows[0]?.createdAt;
}

/** The user id of the player to whom the game has shown the code; undefined if, against all odds, two players have it. */
export async function findPlayerOfCode(
  pool: Pool,
  gameId: number,
  codeHash: Buffer,
  nowMs: number,
): Promise<string | undefined> {
  const rows = await query<{ userId: string }>(
    pool,
    {
      name: 'find_player_of_code',
      text: `select p.user_id as "userId"
             from (select player_id from erasure_codes
                   where game_id = $1 and code_hash = $2 and expires_at > $3 offset 0) c
             join lateral (select user_id from players p
                           where p.id = c.player_id and p.erase_requested_at is null offset 0) p on true`,
    },
    [gameId, codeHash, new Date(nowMs)],
  );
  return rows.length === 1 ? rows[0]?.userId : undefined;
}

/** A code works once: every request for erasure ends it. */
export async function deleteErasureCodes(client: Client, playerIds: readonly string[]): Promise<void> {
  await query(
    client,
    {
      name: 'delete_erasure_codes',
      text: 'delete from erasure_codes where player_id = any($1::bigint[])',
    },
    [playerIds],
  );
}

/** A game with a page for requests of erasure. */
export type PageGame = { gameId: number; game: string; studio: string; waitDays: number };

export async function findPageGame(pool: Pool, tenant: string, slug: string): Promise<PageGame | undefined> {
  const rows = await query<PageGame>(
    pool,
    {
      name: 'find_page_game',
      text: `select g.id as "gameId", g.name as game, t.name as studio, g.erasure_wait_days as "waitDays"
             from tenants t
             join lateral (select * from games g where g.tenant_id = t.id and g.slug = $2 offset 0) g on g.erasure_page
             where t.slug = $1`,
    },
    [tenant, slug],
  );
  return rows[0];
}
