import { createErasureHashes } from '../../src/platform/security/erasure-hashes.js';
import { type ErasureResult, type ErasureRun, runErasures } from '../../src/trust/erasures/run-erasures.js';
import type { Harness, Session } from './harness.js';

/** Does what the operations process does, now. */
export async function erase(harness: Harness, options: Partial<ErasureRun> = {}): Promise<ErasureResult> {
  const { pool, clock, ctx, masterKeys } = harness;
  return runErasures({
    pool,
    hashes: await createErasureHashes(pool, async () => masterKeys)(),
    signer: { issuer: ctx.settings.tokenIssuer, current: ctx.signingKeys.current },
    now: clock.now,
    rests: false,
    ...options,
  });
}

export function requestDeletion({ app }: Pick<Harness, 'app'>, session: Session) {
  return app.inject({ method: 'DELETE', url: '/v1/player', headers: session.headers });
}

/** The tables, with partitions, in which one of the texts stands anywhere in a row, or which have a row of the player. */
export async function tablesNaming(
  { pool }: Pick<Harness, 'pool'>,
  texts: readonly string[],
  playerId: string,
): Promise<string[]> {
  const { rows } = await pool.query<{ name: string; ofPlayers: string[] }>(
    `select c.oid::regclass::text as name, array_remove(array_agg(quote_ident(a.attname)), null) as "ofPlayers"
     from pg_class c
     left join pg_attribute a on a.attrelid = c.oid and a.attname in ('player_id', 'own_player_id')
     where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
     group by 1 order by 1`,
  );
  const found: string[] = [];
  for (const { name, ofPlayers } of rows) {
    const conditions = ['t::text ~ $1', ...ofPlayers.map((column) => `${column} = $2::bigint`)];
    const hits = await pool.query(
      `select from ${name} t where ($2::bigint is null) or ${conditions.join(' or ')} limit 1`,
      [texts.join('|'), playerId],
    );
    if (hits.rowCount !== 0) found.push(name);
  }
  return found;
}

export async function playerIdOf({ pool }: Pick<Harness, 'pool'>, { userId }: Session): Promise<string> {
  const { rows } = await pool.query<{ id: string }>('select id from players where user_id = $1', [userId]);
  return rows[0]?.id ?? '';
}
