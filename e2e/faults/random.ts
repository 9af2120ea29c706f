/** Pseudorandom numbers: the same seed gives the same run, as far as the machine allows. */
export type Random = {
  /** From 0 up to, not including, 1. */
  fraction(): number;
  /** From 0 up to, not including, `below`. */
  integer(below: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  shuffle<T>(items: readonly T[]): T[];
};

/** A counter that is mixed by multiplications, so that also small seeds give different sequences. */
export function seededRandom(seed: number): Random {
  let state = seed | 0;
  const fraction = (): number => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 0x1_0000_0000;
  };
  const integer = (below: number): number => Math.floor(fraction() * below);
  return {
    fraction,
    integer,
    chance: (probability) => fraction() < probability,
    pick: (items) => items[integer(items.length)] as (typeof items)[number],
    shuffle: (items) =>
      items
        .map((item) => ({ item, place: fraction() }))
        .sort((a, b) => a.place - b.place)
        .map(({ item }) => item),
  };
}
