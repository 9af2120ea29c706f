/** The share of the other files among which the heavy ones are spread: what is left fills the workers up in the end. */
const SHARE = 0.8;

/** These start services, browsers or clients of other languages, which keep more processes busy than a test runs in. */
export function isHeavy(path: string): boolean {
  return /\/(e2e|clients)\//.test(path);
}

/** Both kinds stay in their order. */
export function spread<T>(items: readonly T[], isSpread: (item: T) => boolean): T[] {
  const heavy = items.filter(isSpread);
  const others = items.filter((item) => !isSpread(item));
  const step = Math.floor((SHARE * others.length) / Math.max(1, heavy.length));
  const groups = heavy.map((item, index) => [item, ...others.slice(index * step, (index + 1) * step)]);
  return [...groups.flat(), ...others.slice(heavy.length * step)];
}
