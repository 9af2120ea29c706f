import { type Pool, query } from '../../../platform/db/pool.js';
import type { StoreSale } from '../../../platform/lib/receipts/store-sale.js';

/** What the published catalogue asks for a product, in its default currency and for the whole quantity. */
export async function findCataloguePrice(
  pool: Pool,
  gameId: number,
  { productId, quantity }: Pick<StoreSale, 'productId' | 'quantity'>,
): Promise<Pick<StoreSale, 'price' | 'currency'>> {
  const [row] = await query<{ price: string; currency: string }>(
    pool,
    {
      name: 'find_catalogue_price',
      text: `select trim_scale($3::numeric * (e.sku -> 'prices' -> (e.sku ->> 'defaultCurrency') ->> 'offerPrice')::numeric)::text as price,
               e.sku ->> 'defaultCurrency' as currency
             from games g
             join config_versions v on v.game_id = g.id and v.version = g.published_version
             cross join lateral json_array_elements(v.document -> 'catalogue') e(sku)
             where g.id = $1 and e.sku ->> 'skuId' = $2
             limit 1`,
    },
    [gameId, productId, quantity],
  );
  return row ?? { price: null, currency: null };
}
