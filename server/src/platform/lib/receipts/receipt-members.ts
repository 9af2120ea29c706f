/** As long as a transaction id may be in an event. */
const MAX_ID = 256;
/** The last millisecond that a Date can hold. */
const MAX_TIME_MS = 8_640_000_000_000_000;

export function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_ID;
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1;
}

/** Epoch milliseconds. */
export function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= MAX_TIME_MS;
}
