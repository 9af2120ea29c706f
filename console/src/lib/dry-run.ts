import type { Schemas } from '../api/client.js';
import { countOf, formatUtc } from './format.js';

type Effects = Pick<Schemas['DryRunLater'], 'offers' | 'segments' | 'flags' | 'values' | 'prices' | 'priced'>;

/** Whether some player sees a difference. */
export function isChanging({ priced, ...effects }: Effects): boolean {
  return priced.players > 0 || changedIds(effects).length > 0;
}

/** Whether other prices, offers, segments, flags or values change than at the instant before. */
export function isNews(later: Effects, before: Effects): boolean {
  const listed = ({ prices, ...effects }: Effects) =>
    [
      ...prices.map(({ skuId, from, to }) => JSON.stringify([skuId, from, to])),
      ...changedIds(effects),
    ].sort();
  return listed(later).join() !== listed(before).join();
}

function changedIds({ offers, segments, flags, values }: Omit<Effects, 'prices' | 'priced'>): string[] {
  const isChanged = ({ counts }: { counts: Schemas['DryRunCounts'] }) => counts.enter > 0 || counts.leave > 0;
  return [
    ...offers.filter(isChanged).map(({ offerId }) => `offer:${offerId}`),
    ...segments.filter(isChanged).map(({ segmentId }) => `segment:${segmentId}`),
    ...flags.filter(isChanged).map(({ flagId }) => `flag:${flagId}`),
    ...values.filter(isChanged).map(({ outcome }) => `value:${outcome}`),
  ];
}

/** `No player sees another price.`, `5,920 players pay less.` */
export function pricesInWords({ players, payLess, payMore }: Schemas['DryRunPriced']): string {
  if (players === 0) return 'No player sees another price.';
  const ways = [
    ...(payLess > 0 ? [`${countOf(payLess, 'player pays', 'players pay')} less`] : []),
    ...(payMore > 0 ? [`${countOf(payMore, 'player pays', 'players pay')} more`] : []),
  ];
  if (ways.length === 1 && payLess + payMore === players) return `${ways[0]}.`;
  const seen = countOf(players, 'player sees another price', 'players see other prices');
  return ways.length === 0 ? `${seen}.` : `${seen}: ${ways.join(', ')}.`;
}

/** `offer weekend begins, SKU gems ends` */
export function whyInWords({ begins, ends }: { begins: readonly string[]; ends: readonly string[] }): string {
  const named = (name: string) => name.replace(':', ' ').replace(/^sku /, 'SKU ');
  const all = [
    ...begins.map((name) => `${named(name)} begins`),
    ...ends.map((name) => `${named(name)} ends`),
  ];
  return all.length <= MAX_NAMED
    ? all.join(', ')
    : `${all.slice(0, MAX_NAMED).join(', ')} and ${all.length - MAX_NAMED} more`;
}

const MAX_NAMED = 3;

export function leftOutInWords({ instants, firstAt }: { instants: number; firstAt: string }): string {
  const times = countOf(instants, 'more time', 'more times');
  return `${times} at which something begins or ends ${instants === 1 ? 'was' : 'were'} not looked at, the first on ${formatUtc(firstAt)}. The preview shows a player at any time.`;
}
