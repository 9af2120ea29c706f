/**
 * Which translation a player reads: that of exactly their locale, else of ever more general ones (`zh-Hant-TW`,
 * `zh-Hant`, `zh`), else the default. `de_AT` and `DE-at` are the same as `de-AT`.
 */
export function normalizeLocale(locale: string): string {
  return locale.replaceAll('_', '-').toLowerCase();
}

/** The locales that would do for a player, best first, of those that any text of the document has. */
export function localeChain(locale: string | undefined, known: ReadonlySet<string>): readonly string[] {
  if (locale === undefined || known.size === 0) return [];
  const chain: string[] = [];
  let rest = normalizeLocale(locale);
  while (rest !== '') {
    if (known.has(rest)) chain.push(rest);
    rest = rest.slice(0, Math.max(0, rest.lastIndexOf('-')));
  }
  return chain;
}
