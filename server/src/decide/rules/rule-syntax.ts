/** What people write who know other languages than CEL, and what CEL has for it. */
const OPERATORS = new Map([
  ['=', '=='],
  ['===', '=='],
  ['!==', '!='],
  ['=!', '!='],
  ['<>', '!='],
  ['≠', '!='],
  ['=>', '>='],
  ['≥', '>='],
  ['=<', '<='],
  ['≤', '<='],
  ['&', '&&'],
  ['|', '||'],
]);
const WORDS = new Map([
  ['and', '&&'],
  ['or', '||'],
  ['not', '!'],
  ['is', '=='],
  ['equals', '=='],
]);

const OPERATOR = /[=<>!&|≠≥≤]/;
const QUOTE = /[“”„«»‘’‚`´]/;
const WORD = /[A-Za-z_]\w*/y;

/** Why a rule cannot be read at a character, as far as the character itself tells. */
export function syntaxProblem(rule: string, offset: number): string | undefined {
  const before = rule.slice(0, offset);
  // `not x` is read up to x.
  const formerWord = /([A-Za-z]+)\s+$/.exec(before)?.[1];
  if (formerWord?.toLowerCase() === 'not') return insteadOf(formerWord, '!');
  const operator = operatorAt(rule, offset);
  const meant = OPERATORS.get(operator);
  if (meant !== undefined) return insteadOf(operator, meant);
  const character = rule[offset] ?? '';
  if (QUOTE.test(character)) return 'A text stands in straight quotes, as in "DE".';
  if (character === ';') return 'A rule is one expression: leave out the semicolon.';
  if (character === ',') return commaProblem(rule, offset);
  const word = wordAt(rule, offset) || operator || character;
  return wordProblem(word) ?? (word === '' ? undefined : `"${word}" cannot stand here.`);
}

/** Whether a name is one of an operator in other languages: `NOT(x)`. */
export function wordProblem(word: string): string | undefined {
  const meant = WORDS.get(word.toLowerCase());
  return meant === undefined ? undefined : insteadOf(word, meant);
}

function insteadOf(written: string, meant: string): string {
  return `Write ${meant} in place of ${written}.`;
}

function commaProblem(rule: string, offset: number): string {
  const [decimal] = /\d+$/.exec(rule.slice(0, offset)) ?? [];
  const [, decimals] = /^,(\d+)/.exec(rule.slice(offset)) ?? [];
  if (decimal !== undefined && decimals !== undefined) {
    return `Write ${decimal}.${decimals}: decimals follow a point.`;
  }
  return 'A list stands in square brackets, as in country in ["DE", "AT"].';
}

/** The characters of an operator around an offset: a rule is read up to the > of <>. */
function operatorAt(rule: string, offset: number): string {
  let [start, end] = [offset, offset];
  while (start > 0 && OPERATOR.test(rule[start - 1] ?? '')) start--;
  while (OPERATOR.test(rule[end] ?? '')) end++;
  return start === offset && end === offset ? '' : rule.slice(start, end);
}

function wordAt(rule: string, offset: number): string {
  WORD.lastIndex = offset;
  return WORD.exec(rule)?.[0] ?? '';
}
