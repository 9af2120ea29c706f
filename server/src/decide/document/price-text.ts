import { clipText } from '../../platform/lib/clip-text.js';

/** Prices are exact decimal texts. 12 digits before the point hold any price in any currency. */
export const PRICE_PATTERN = '^(0|[1-9][0-9]{0,11})(\\.[0-9]{1,6})?$';
const PRICE = new RegExp(PRICE_PATTERN);
const MAX_SHOWN = 40;

export function isPrice(text: string): boolean {
  return PRICE.test(text);
}

/** What to write in place of a text that is no price: `0,99` and `$4.99` tell what was meant. */
export function priceProblem(text: string): string {
  const meant = meantPrice(text);
  const what = `"${clipText(text, MAX_SHOWN)}" is not a price: write`;
  return meant === undefined
    ? `${what} digits, and a point before the decimals, as in 4.99.`
    : `${what} ${meant} (digits, and a point before the decimals).`;
}

/** Undefined where the text can be read in two ways, as 1,299 can. */
function meantPrice(text: string): string | undefined {
  if (text.length > MAX_SHOWN) return undefined;
  // Currencies before or behind it, and what stands between thousands in some regions.
  const bare = text.replace(/[\s'’]/g, '').replace(/^[\p{Sc}\p{L}]+|[\p{Sc}\p{L}]+$/gu, '');
  if (!/^[\d.,]+$/.test(bare)) return undefined;
  const decimal = decimalSign(bare);
  if (decimal === undefined) return undefined;
  const plain = bare
    .replace(/[.,]/g, (sign) => (sign === decimal ? '.' : ''))
    .replace(/\.$/, '')
    .replace(/^\./, '0.')
    .replace(/^0+(?=\d)/, '');
  return isPrice(plain) ? plain : undefined;
}

/** What stands before the decimals: a point, a comma, or nothing where there are none. */
function decimalSign(digits: string): '.' | ',' | '' | undefined {
  const [points, commas] = [digits.split('.').length - 1, digits.split(',').length - 1];
  if (points > 0 && commas > 0) return digits.lastIndexOf('.') > digits.lastIndexOf(',') ? '.' : ',';
  if (commas === 0 && points <= 1) return '.';
  // Twice the same sign stands between thousands.
  if (commas > 1 || points > 1) return /^\d{1,3}(?:[.,]\d{3})+$/.test(digits) ? '' : undefined;
  return /^[1-9]\d{0,2},\d{3}$/.test(digits) ? undefined : ',';
}
