import type { Schemas } from '../api/client.js';
import { formatCount, formatDay, formatShare } from './format.js';

type Day = Schemas['SegmentSizeDay'];

/** The sizes of one segment, day by day; days on which it did not exist are left out. */
export function sizesOf(days: readonly Day[], segmentId: string): { day: string; players: number }[] {
  return days.flatMap(({ day, sizes }) => {
    const players = sizes[segmentId];
    return players === undefined ? [] : [{ day, players }];
  });
}

/** `1,204 on Oct 16, 1,310 on Nov 15 (+9%)`; empty where there is no trend yet. */
export function trendInWords(sizes: readonly { day: string; players: number }[]): string {
  const [first, last] = [sizes[0], sizes.at(-1)];
  if (first === undefined || last === undefined || first === last) return '';
  const change = first.players === 0 ? null : last.players / first.players - 1;
  const told = change === null ? '' : ` (${change < 0 ? '−' : '+'}${formatShare(Math.abs(change))})`;
  return `${formatCount(first.players)} on ${formatDay(first.day)}, ${formatCount(last.players)} on ${formatDay(last.day)}${told}`;
}
