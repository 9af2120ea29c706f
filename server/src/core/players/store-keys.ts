import type { RenderedSku, StoreDecision } from '../../decide/decide/decision.js';
import type { Steps } from '../../platform/lib/steps.js';

/** SKUs in all their languages, currencies and prices; about a megabyte of text. */
const MAX_TEXTS = 4_096;
/** How many SKUs one step goes through. */
const SKUS_PER_STEP = 100;

/**
 * Gives stores of the same content the same short key. The text of a store has ten kilobytes and more, and most players have a
 * store that others have, too: to find it by its text, the text has to be put together and hashed first. The texts of its SKUs are
 * there already and are shorter, so each of them gets a number, and the numbers are the key.
 */
export function createStoreKeys(maxTexts = MAX_TEXTS): (store: StoreDecision) => Steps<string> {
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

  function* listKey(skus: readonly RenderedSku[]): Steps<string> {
    let key = '';
    for (const [index, sku] of skus.entries()) {
      if (index % SKUS_PER_STEP === SKUS_PER_STEP - 1) yield;
      key += `${numberOf(sku)},`;
    }
    return key;
  }

  return function* ({ activeSkus, userSpecificPromoId, fallback }) {
    const active = yield* listKey(activeSkus);
    const promotion = JSON.stringify(userSpecificPromoId);
    if (fallback === null) return `${active};${promotion}`;
    const { version, lastUpdatedTimestamp } = fallback;
    const untargeted = fallback.activeSkus === activeSkus ? active : yield* listKey(fallback.activeSkus);
    return `${active};${untargeted};${version};${lastUpdatedTimestamp};${promotion}`;
  };
}
