import type { Offer } from './document.js';
import { formatMoney } from './format.js';

/** What an offer does, in a few words: `25% off gems_1200, 30% of players, 3 per player`. */
export function effectInWords({ effect, skus, sharePercent, limitPerPlayer }: Offer): string {
  const what = [
    ...(effect.visibility === undefined ? [] : [effect.visibility === 'show' ? 'shows' : 'hides']),
    ...(effect.price === undefined ? [] : [priceInWords(effect.price)]),
    ...(effect.badges === undefined ? [] : ['badge on']),
  ];
  const target = skus === 'all' ? 'all SKUs' : skus.length > 3 ? `${skus.length} SKUs` : skus.join(', ');
  return [
    `${what.join(', ') || 'promotion for'} ${target}`,
    ...(sharePercent < 100 ? [`${sharePercent}% of players`] : []),
    ...(limitPerPlayer === null ? [] : [`${limitPerPlayer} per player`]),
  ].join(', ');
}

function priceInWords(price: NonNullable<Offer['effect']['price']>): string {
  if ('discountPercent' in price) return `${price.discountPercent}% off`;
  return Object.entries(price.setTo)
    .map(([currency, amount]) => formatMoney(amount, currency))
    .join(' / ');
}
