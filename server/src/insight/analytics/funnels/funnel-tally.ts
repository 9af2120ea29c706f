import type { ValueKind } from '../breakdowns/breakdown.js';
import { SHOWN_VALUES } from '../breakdowns/dimensions.js';

export type FunnelValue = {
  kind: ValueKind;
  /** Empty unless the kind is `value`. */
  value: string;
  /** By step: how many players have completed it. */
  players: number[];
};

export type FunnelResult = {
  /** By step: how many players have completed it. */
  players: number[];
  /** The largest first, all others last. Empty if the funnel was not split. */
  values: FunnelValue[];
};

/** Clients choose the values, and may invent any number: those that come later are counted as others. */
const MAX_VALUES = 10_000;

/** Adds players up by how far they came. Pure. */
export function createFunnelTally(steps: number) {
  const none = () => Array.from({ length: steps }, () => 0);
  const total = none();
  const others = none();
  const byValue = new Map<string, number[]>();
  return {
    add(depth: number, value: string): void {
      let counts = byValue.get(value);
      if (counts === undefined) {
        counts = byValue.size < MAX_VALUES ? none() : others;
        if (counts !== others) byValue.set(value, counts);
      }
      addTo(counts, depth);
      addTo(total, depth);
    },
    result(isSplit: boolean): FunnelResult {
      if (!isSplit) return { players: total, values: [] };
      const sorted = [...byValue].sort(([a, n], [b, m]) => (m[0] ?? 0) - (n[0] ?? 0) || (a < b ? -1 : 1));
      for (const [, counts] of sorted.slice(SHOWN_VALUES)) {
        for (const [step, count] of counts.entries()) others[step] = (others[step] ?? 0) + count;
      }
      const shown = sorted.slice(0, SHOWN_VALUES).map(([value, players]): FunnelValue => {
        return { kind: value === '' ? 'unknown' : 'value', value, players };
      });
      const rest: FunnelValue[] = others[0] === 0 ? [] : [{ kind: 'other', value: '', players: others }];
      return { players: total, values: [...shown, ...rest] };
    },
  };
}

function addTo(counts: number[], depth: number): void {
  for (let step = 0; step < depth; step++) counts[step] = (counts[step] ?? 0) + 1;
}
