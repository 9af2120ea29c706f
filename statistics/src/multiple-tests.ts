/**
 * Who asks twenty questions gets a wrong "yes" to one of them. These adjust p-values for the number of questions; the order stays
 * as it was given.
 */

/** Holm (1979): the chance of even one false "yes" is at most alpha. For the arms and secondary metrics of an experiment. */
export function holm(pValues: readonly number[]): number[] {
  const order = ascending(pValues);
  const adjusted = [...pValues];
  let largest = 0;
  order.forEach((index, rank) => {
    largest = Math.max(largest, (order.length - rank) * (pValues[index] ?? 1));
    adjusted[index] = Math.min(1, largest);
  });
  return adjusted;
}

/** Benjamini and Hochberg (1995): at most alpha of all "yes" are false. For exploring, such as arms by segment. */
export function benjaminiHochberg(pValues: readonly number[]): number[] {
  const order = ascending(pValues);
  const adjusted = [...pValues];
  let smallest = 1;
  for (let rank = order.length; rank > 0; rank -= 1) {
    const index = order[rank - 1] ?? 0;
    smallest = Math.min(smallest, ((pValues[index] ?? 1) * order.length) / rank);
    adjusted[index] = smallest;
  }
  return adjusted;
}

/** The places of the values, smallest first. */
function ascending(values: readonly number[]): number[] {
  return [...values.keys()].sort((one, other) => (values[one] ?? 0) - (values[other] ?? 0));
}
