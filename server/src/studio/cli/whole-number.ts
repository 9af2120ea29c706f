import { StartupError } from '../../platform/lib/startup-error.js';

/** The largest id of a row that a number holds exactly. Nobody needs to be told this limit. */
export const MAX_ID = Number.MAX_SAFE_INTEGER;

/** The number that the user gave to an option. */
export function wholeNumber(option: string, text: string, min: number, max: number): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : -1;
  if (value >= min && value <= max) return value;
  const range = max === MAX_ID ? '' : ` from ${min} to ${max}`;
  throw new StartupError(`${option} is "${text}": give a whole number${range}.`);
}
