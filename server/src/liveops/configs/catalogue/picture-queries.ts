import { type Actor, insertAuditEntry } from '../../../platform/admin-api/audit-log.js';
import { type Pool, query, transaction } from '../../../platform/db/pool.js';
import type { Picture } from './picture-format.js';

/** Twice as many as a catalogue has SKUs: SKUs that were taken out keep theirs, for the way back. */
export const MAX_PICTURES = 2_000;

export type PictureRow = { skuId: string; mediaType: string; content: Buffer; updatedAt: number };

/** Behind a SKU id, in the order of the ids. */
export async function listPictures(
  pool: Pool,
  gameId: number,
  { after, limit }: { after: string; limit: number },
): Promise<PictureRow[]> {
  return query<PictureRow>(
    pool,
    {
      name: 'list_sku_pictures',
      text: `select sku_id as "skuId", media_type as "mediaType", content, updated_at as "updatedAt"
             from sku_pictures where game_id = $1 and sku_id > $2
             order by sku_id
             limit $3`,
    },
    [gameId, after, limit],
  );
}

/** False if the game has as many pictures as there can be. */
export function setPicture(
  pool: Pool,
  { gameId, skuId }: { gameId: number; skuId: string },
  { mediaType, content }: Picture,
  actor: Actor,
): Promise<boolean> {
  return transaction(pool, async (client) => {
    // Two who add the last one wait for each other; new players, who refer to the game, do not.
    await client.query('select from games where id = $1 for no key update', [gameId]);
    const { rowCount } = await client.query(
      `insert into sku_pictures (game_id, sku_id, media_type, content, updated_at)
       select $1::int, $2::text, $3::text, $4::bytea, $5::timestamptz
       where exists (select from sku_pictures where game_id = $1 and sku_id = $2)
         or (select count(*) from sku_pictures where game_id = $1) < $6
       on conflict (game_id, sku_id)
         do update set media_type = excluded.media_type, content = excluded.content, updated_at = excluded.updated_at`,
      [gameId, skuId, mediaType, content, new Date(actor.nowMs), MAX_PICTURES],
    );
    if (rowCount === 0) return false;
    await insertAuditEntry(client, actor, {
      tenantId: null,
      gameId,
      action: 'picture.set',
      target: `SKU ${skuId}`,
      before: null,
      after: { mediaType, bytes: content.length },
    });
    return true;
  });
}

/** False if there was none. */
export function deletePicture(
  pool: Pool,
  { gameId, skuId }: { gameId: number; skuId: string },
  actor: Actor,
): Promise<boolean> {
  return transaction(pool, async (client) => {
    const { rows } = await client.query<{ mediaType: string; bytes: number }>(
      `delete from sku_pictures where game_id = $1 and sku_id = $2
       returning media_type as "mediaType", length(content) as bytes`,
      [gameId, skuId],
    );
    const [before] = rows;
    if (before === undefined) return false;
    await insertAuditEntry(client, actor, {
      tenantId: null,
      gameId,
      action: 'picture.delete',
      target: `SKU ${skuId}`,
      before,
      after: null,
    });
    return true;
  });
}
