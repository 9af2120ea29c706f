import { type Client, type Pool, query, transaction } from '../../db/pool.js';
import { renderStore } from '../store/store-config.js';
import type { GameDocument } from './game-config.js';

type VersionRow = { document: GameDocument; publishedAt: number };

export async function findConfigVersion(
  db: Pool,
  gameId: number,
  version: number,
): Promise<VersionRow | undefined> {
  const rows = await query<VersionRow>(
    db,
    {
      name: 'find_config_version',
      text: `select document, published_at as "publishedAt"
             from config_versions where game_id = $1 and version = $2`,
    },
    [gameId, version],
  );
  return rows[0];
}

export type Publication = { gameId: number; document: GameDocument; author: string; note: string };

/**
 * Publishes a document as the game's next version; the row lock on the game gives the numbers no gap and no twin.
 * Throws for one that cannot be rendered: published, it would leave every player of the game without a store.
 */
export async function publishConfig(pool: Pool, publication: Publication, nowMs: number): Promise<number> {
  renderStore({ ...publication.document, version: 1, publishedAt: nowMs });
  return transaction(pool, (client) => insertNextVersion(client, publication, nowMs));
}

async function insertNextVersion(
  client: Client,
  { gameId, document, author, note }: Publication,
  nowMs: number,
): Promise<number> {
  const { rows } = await client.query<{ version: number }>(
    'update games set published_version = published_version + 1 where id = $1 returning published_version as version',
    [gameId],
  );
  const version = rows[0]?.version;
  if (version === undefined) throw new Error(`there is no game ${gameId}`);
  await client.query(
    `insert into config_versions (game_id, version, document, author, note, published_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [gameId, version, JSON.stringify(document), author, note, new Date(nowMs)],
  );
  return version;
}
