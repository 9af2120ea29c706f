import { StartupError } from '../lib/startup-error.js';

/** The number that the user gave to an option. */
export function wholeNumber(option: string, text: string, min: number, max: number): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : -1;
  if (value >= min && value <= max) return value;
  throw new StartupError(`${option} is "${text}": give a whole number from ${min} to ${max}.`);
}
