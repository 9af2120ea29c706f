import type { Schemas } from '../api/client.js';
import { countOf, formatUtc } from './format.js';

type Later = Schemas['DryRunLater'];

/** Whether some player sees a difference at that instant. */
export function isChanging({ priced, offers, segments, flags }: Later): boolean {
  return priced.players > 0 || offers.length + segments.length + flags.length > 0;
}

/** `5,920 players see other prices: 5,920 pay less.` */
export function pricesInWords(
  { players, payLess, payMore }: Schemas['DryRunPriced'],
  place: 'start' | 'sentence' = 'start',
): string {
  if (players === 0)
    return place === 'start' ? 'No player sees another price.' : 'no player sees another price.';
  const ways = [
    ...(payLess > 0 ? [`${countOf(payLess, 'player pays', 'players pay')} less`] : []),
    ...(payMore > 0 ? [`${countOf(payMore, 'player pays', 'players pay')} more`] : []),
  ];
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
