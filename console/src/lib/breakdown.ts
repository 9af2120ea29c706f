import type { Schemas } from '../api/client.js';

export type Value = Schemas['BreakdownValue'];

export const DIMENSIONS = [
  { value: 'country', label: 'Country', unknown: 'not told' },
  { value: 'platform', label: 'Platform', unknown: 'not told' },
  { value: 'build', label: 'Build', unknown: 'not told' },
  { value: 'sku', label: 'SKU', unknown: 'not told' },
  { value: 'promotion', label: 'Promotion', unknown: 'no promotion' },
] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** What the address says, or the first. */
export function dimensionOf(text: string | undefined): Dimension {
  return DIMENSIONS.find(({ value }) => value === text) ?? DIMENSIONS[0];
}

export function nameOf({ kind, value }: Value, { unknown }: Dimension): string {
  if (kind === 'other') return 'all others';
  return kind === 'unknown' || value === null ? unknown : value;
}

/** How long the bar of a value is, of 0 to 1: by active players, or by purchases where active players are not counted by the value. */
export function barOf(value: Value, all: readonly Value[]): number {
  const size = ({ activePlayerDays, purchases }: Value) => activePlayerDays ?? purchases;
  const longest = Math.max(...all.map(size));
  return longest === 0 ? 0 : size(value) / longest;
}

/** Null while no player of the cohort has reached the day. */
export function retainedOf({ retention }: Value, after: '1' | '7' | '28' | '30'): number | null {
  const retained = retention?.[after];
  return retained === undefined || retained.newPlayers === 0 ? null : retained.active / retained.newPlayers;
}
