import type { Recount } from './recount.js';

/** What a recount has found, in the words of the command and of the admin API. */
export function recountInWords({
  events,
  players,
  eventsDeletedBefore,
  differenceCount,
}: Omit<Recount, 'differences'>): string[] {
  return [
    `Counted ${countOf(events, 'event')} and ${countOf(players, 'player')} again.`,
    ...(eventsDeletedBefore === null
      ? []
      : [
          `Events before ${eventsDeletedBefore} have been deleted: what they counted for cannot be checked. A later day may show more than its events if a clock was wrong by months.`,
        ]),
    differenceCount === 0
      ? 'Everything agrees.'
      : `${countOf(differenceCount, 'value')} ${differenceCount === 1 ? 'differs' : 'differ'}.`,
  ];
}

/** 1,234 events, or 1 event */
function countOf(n: number, noun: string): string {
  return `${n.toLocaleString('en-US')} ${noun}${n === 1 ? '' : 's'}`;
}
