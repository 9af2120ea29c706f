/** What can be written at a place of a rule, and which part of the text it replaces. */
export type Completion = Readonly<{ from: number; to: number; options: readonly CompletionOption[] }>;
export type CompletionOption = Readonly<{ text: string; description: string }>;

/** A list that is seen at once, without scrolling. */
const MAX_OPTIONS = 8;
/** A shorter text is in too many descriptions. */
const MIN_DESCRIBED = 3;

/** Texts, which may be unfinished; paths such as `spend["USD"].total`, also unfinished ones; anything else, one by one. */
const TOKEN =
  /(?<path>[A-Za-z_]\w*(?:\.\w*|\["[^"\\\n]*"\])*)|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|[\s\S]/g;
const KEY = /\["([^"]*)"\]/;

/**
 * The choices for the word that ends at the caret. Undefined within a text, between words, and where the word is written out already.
 * A key that was typed stays: `spend["EUR"].la` gets `spend["EUR"].last28d`.
 */
export function completionAt(
  rule: string,
  caret: number,
  choices: ReadonlyMap<string, string>,
): Completion | undefined {
  const path = [...rule.matchAll(TOKEN)].find(({ index, 0: text, groups }) => {
    return groups?.path !== undefined && index < caret && caret <= index + text.length;
  });
  if (path === undefined) return undefined;
  const typed = rule.slice(path.index, caret);
  const options = optionsFor(typed, choices);
  if (options.length === 0 || options.some(({ text }) => text === path[0])) return undefined;
  return { from: path.index, to: path.index + path[0].length, options };
}

function optionsFor(typed: string, choices: ReadonlyMap<string, string>): CompletionOption[] {
  const key = KEY.exec(typed)?.[1];
  const wanted = comparable(typed);
  const ranked = [...choices]
    .map(([usage, description]) => ({
      text: key === undefined ? usage : usage.replace(KEY, () => `["${key}"]`),
      description,
      rank: rankOf(wanted, usage, description),
    }))
    .filter(({ rank }) => rank > 0)
    .sort((one, other) => other.rank - one.rank);
  // With the key that was typed, the choices for other keys are the same text.
  return ranked
    .filter(({ text }, index) => ranked.findIndex((option) => option.text === text) === index)
    .slice(0, MAX_OPTIONS)
    .map(({ text, description }) => ({ text, description }));
}

/** Better than a name that contains the word is one that begins with it, and worse is a description that contains it. */
function rankOf(wanted: string, usage: string, description: string): number {
  const name = comparable(usage);
  if (name.startsWith(wanted)) return 3;
  // A key is a name, too: `Level` finds `events["Level_Complete"].total`.
  if (name.includes(wanted) || usage.toLowerCase().includes(wanted)) return 2;
  return wanted.length >= MIN_DESCRIBED && description.toLowerCase().includes(wanted) ? 1 : 0;
}

/** Whatever the key of the choice is. */
function comparable(text: string): string {
  return text.replace(KEY, '[""]').toLowerCase();
}

/** The rule with an option in place of the word, and where the caret is then. */
export function completed(
  rule: string,
  { from, to }: Completion,
  { text }: CompletionOption,
): { rule: string; caret: number } {
  return { rule: `${rule.slice(0, from)}${text}${rule.slice(to)}`, caret: from + text.length };
}
