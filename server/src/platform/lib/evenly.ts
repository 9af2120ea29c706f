/** At most `size` of the items, spread evenly over them. */
export function evenly<T>(items: readonly T[], size: number): readonly T[] {
  if (items.length <= size) return items;
  const stepsAt = (place: number) => Math.floor((place * size) / items.length);
  return items.filter((_, index) => stepsAt(index + 1) > stepsAt(index));
}
