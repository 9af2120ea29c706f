import { Compile } from 'typebox/compile';
import { formatPrice } from '../../lib/money.js';
import { type CatalogueSku, GameDocument } from './game-config.js';

export type CheckedDocument = { ok: true; document: GameDocument } | { ok: false; problems: string[] };

const validator = Compile(GameDocument);
/** More would not be read. */
const MAX_PROBLEMS = 20;

/** Everything that is wrong with a document, each with its place in it; what passes can be rendered for every player. */
export function checkDocument(value: unknown): CheckedDocument {
  if (!validator.Check(value)) {
    const problems = [...validator.Errors(value)].map(
      ({ instancePath, message }) => `${instancePath || '/'} ${message}`,
    );
    return { ok: false, problems: [...new Set(problems)].slice(0, MAX_PROBLEMS) };
  }
  const seen = new Set<string>();
  const problems = value.store.skus.flatMap((sku, index) => {
    const twin = seen.has(sku.skuId) ? [`skuId "${sku.skuId}" is there twice`] : [];
    seen.add(sku.skuId);
    return [...twin, ...priceProblems(sku)].map((problem) => `/store/skus/${index} ${problem}`);
  });
  return problems.length === 0
    ? { ok: true, document: value }
    : { ok: false, problems: problems.slice(0, MAX_PROBLEMS) };
}

function priceProblems({ actualPrice, offerPrice, currency }: CatalogueSku): string[] {
  const problems = [actualPrice, offerPrice].flatMap((price) =>
    isPrice(price, currency) ? [] : [`${price} ${currency} is not a price`],
  );
  if (
    problems.length === 0 &&
    isMore(formatPrice(offerPrice, currency), formatPrice(actualPrice, currency))
  ) {
    problems.push(`offerPrice ${offerPrice} is higher than actualPrice ${actualPrice}`);
  }
  return problems;
}

function isPrice(price: string, currency: string): boolean {
  try {
    formatPrice(price, currency);
    return true;
  } catch {
    return false;
  }
}

/** Of two decimals with the same number of decimal places and no leading zeros. */
function isMore(a: string, b: string): boolean {
  return a.length === b.length ? a > b : a.length > b.length;
}
