import type { LocalisedText, SkuEntry } from '../../../decide/document/parts/catalogue.js';

/**
 * The SKU of a row, with what the SKU had so far where the file has no column for it. So a file of a few columns changes only these.
 * `titles` are the columns of the file.
 */
export function withLeftOut(titles: ReadonlySet<string>, read: SkuEntry, former: SkuEntry): SkuEntry {
  const from = (column: string) => (titles.has(column) ? read : former);
  const text = (name: 'name' | 'description'): LocalisedText => ({
    default: from(name)[name].default,
    locales: {
      ...without(former[name].locales, (locale) => titles.has(`${name}:${locale}`)),
      ...read[name].locales,
    },
  });
  const prices = Object.entries(read.prices).map(([currency, price]) => {
    const floorPrice = from(`floorPrice:${currency}`).prices[currency]?.floorPrice;
    return [currency, { ...price, ...(floorPrice === undefined ? {} : { floorPrice }) }] as const;
  });
  const { hidden } = from('hidden');
  // Files have no column for schedules.
  const { schedule } = former;
  return {
    skuId: read.skuId,
    name: text('name'),
    description: text('description'),
    prices: {
      ...without(former.prices, (currency) => titles.has(`price:${currency}`)),
      ...Object.fromEntries(prices),
    },
    defaultCurrency: from('defaultCurrency').defaultCurrency,
    assets: from('assets').assets,
    active: from('active').active,
    ...(hidden === undefined ? {} : { hidden }),
    from: from('from').from,
    until: from('until').until,
    ...(schedule === undefined ? {} : { schedule }),
  };
}

function without<T>(
  record: Readonly<Record<string, T>>,
  isLeftOut: (key: string) => boolean,
): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !isLeftOut(key)));
}
