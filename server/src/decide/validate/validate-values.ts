import { type ValueEntry, valueBytes } from '../document/parts/values.js';
import type { Entry, ProblemList } from './document-problems.js';

/** Every login and refresh carries the values. */
const MAX_VALUES_BYTES = 65_536;

/** However the rules decide, a response with the values of a player has a bounded size. */
export function validateValues(values: readonly Entry<ValueEntry>[], problems: ProblemList): void {
  let bytes = 0;
  for (const { entry } of values) {
    const sizes = [entry.defaultValue, ...entry.rules.map(({ value }) => value)].map(valueBytes);
    bytes += entry.key.length + Math.max(...sizes);
  }
  if (bytes <= MAX_VALUES_BYTES) return;
  problems.add(
    '/values',
    `The values of a player can take ${bytes} bytes together, and may take ${MAX_VALUES_BYTES} at most.`,
  );
}
