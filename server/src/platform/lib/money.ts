/**
 * Prices are decimal texts from end to end. They are never floating-point numbers on the way, so 4.99 stays 4.99.
 */

/** A non-negative decimal without superfluous zeros: `5.10` is `{ integer: '5', fraction: '1' }`. */
export type Decimal = { integer: string; fraction: string };

/** 12 digits before the point hold any price in any currency, and no absurd one can spoil a studio's sums. */
const DECIMAL = /^(0|[1-9]\d{0,11})?(?:\.(\d{1,6}))?$/;
/** Any number of decimals, up to 22: a client that counts in 32-bit floats sends 4.989999771118164 for 4.99. */
const PLAIN_NUMBER = /^\d{1,12}(?:\.\d+)?$/;
const TRAILING_ZEROS = /0+$/;

/** Reads `4.99`, `5` or `.5`; no sign, no exponent, no leading zeros, no white space. */
export function parseDecimal(text: string): Decimal | undefined {
  const match = DECIMAL.exec(text);
  if (match === null || text === '') return undefined;
  return { integer: match[1] ?? '0', fraction: (match[2] ?? '').replace(TRAILING_ZEROS, '') };
}

/**
 * The shortest decimal that is read back as this very number, which is what the sender wrote. Undefined for what
 * is no amount: negative, not finite, of more than 12 digits before the point, or below a millionth but not 0.
 */
export function decimalFromJsonNumber(value: number): string | undefined {
  const text = String(value);
  return PLAIN_NUMBER.test(text) ? text : undefined;
}

/** The amount in a member that may be a number or a decimal text, without superfluous zeros. */
export function decimalFromJson(value: unknown): string | undefined {
  if (typeof value === 'number') return decimalFromJsonNumber(value);
  if (typeof value !== 'string') return undefined;
  const decimal = parseDecimal(value);
  return decimal === undefined ? undefined : joinDecimal(decimal.integer, decimal.fraction);
}

function joinDecimal(integer: string, fraction: string): string {
  return fraction === '' ? integer : `${integer}.${fraction}`;
}

/** A decimal such as `4.99` in millionths, rounded half up: 4990000. */
export function millionthsOf(decimal: string): bigint {
  const [integer = '', fraction = ''] = decimal.split('.');
  const digits = BigInt(`${integer}${fraction.slice(0, 6).padEnd(6, '0')}`);
  return (fraction[6] ?? '0') >= '5' ? digits + 1n : digits;
}
