import type { RenderedSku, StoreDecision } from '../../personalisation/decide/decision.js';

/** SKUs in all their languages, currencies and prices; about a megabyte of text. */
const MAX_TEXTS = 4_096;

/**
 * Gives stores of the same content the same short key. The text of a store has ten kilobytes and more, and most players have a
 * store that others have, too: to find it by its text, the text has to be put together and hashed first. The texts of its SKUs are
 * there already and are shorter, so each of them gets a number, and the numbers are the key.
 */
export function createStoreKeys(maxTexts = MAX_TEXTS): (store: StoreDecision) => string {
  const numbers = new Map<string, number>();
  let last = 0;

  const numberOf = ({ json }: RenderedSku): number => {
    const known = numbers.get(json);
    if (known !== undefined) return known;
    // Numbers are never reused: an old key is never found again, and never stands for another store.
    if (numbers.size >= maxTexts) numbers.clear();
    numbers.set(json, ++last);
    return last;
  };

  const listKey = (skus: readonly RenderedSku[]): string => {
    let key = '';
    for (const sku of skus) key += `${numberOf(sku)},`;
    return key;
  };

  return ({ activeSkus, userSpecificPromoId, fallback }) => {
    const active = listKey(activeSkus);
    const promotion = JSON.stringify(userSpecificPromoId);
    if (fallback === null) return `${active};${promotion}`;
    const { version, lastUpdatedTimestamp } = fallback;
    const untargeted = fallback.activeSkus === activeSkus ? active : listKey(fallback.activeSkus);
    return `${active};${untargeted};${version};${lastUpdatedTimestamp};${promotion}`;
  };
}
