import { countOf } from './format.js';

/** What a count of an erasure is called, for one and for many. Others are technical, and not shown. */
const WORDS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  events: ['event', 'events'],
  player_days: ['day of sums', 'days of sums'],
  transactions: ['transaction', 'transactions'],
  devices: ['device', 'devices'],
  sessions: ['session', 'sessions'],
  flag_overrides: ['override', 'overrides'],
  player_pins: ['pin', 'pins'],
  player_notes: ['note', 'notes'],
  failed_events: ['refused event', 'refused events'],
  event_installs: ['installation', 'installations'],
};

/** As far as the preview counts. */
const MAX_COUNTED = 10_000;

/** `1,284 events`, in the order above, without what there is none of. */
export function erasedInWords(counts: Readonly<Record<string, number>>): string[] {
  return Object.entries(WORDS).flatMap(([name, [one, many]]) => {
    const count = counts[name] ?? 0;
    if (count === 0) return [];
    const words = countOf(count, one, many);
    return [name !== 'events' && count >= MAX_COUNTED ? `at least ${words}` : words];
  });
}
