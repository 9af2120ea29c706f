/**
 * The rule builder's view of a CEL text: clauses that all have to hold, each with conditions of which one has to. Any other text is
 * edited as text only, and nothing of it is lost. A text that the builder has written is read as the same clauses again.
 */
export type Operator = '==' | '!=' | '>' | '>=' | '<' | '<=';
export type Condition =
  | { kind: 'compare'; attribute: string; operator: Operator; literal: string }
  | { kind: 'oneOf'; attribute: string; isIn: boolean; literals: readonly string[] }
  | { kind: 'segment'; segmentId: string; isIn: boolean }
  | { kind: 'flag'; flagId: string; isSet: boolean };
/** A condition on an attribute. */
export type Comparison = Extract<Condition, { kind: 'compare' | 'oneOf' }>;
/** Alternatives: one of them has to hold. */
export type Clause = readonly Condition[];

export const OPERATORS: readonly Operator[] = ['==', '!=', '>', '>=', '<', '<='];

const STRING = String.raw`"(?:[^"\\]|\\.)*"`;
const LITERAL = String.raw`(?:${STRING}|-?\d+(?:\.\d+)?|true|false)`;
const MEMBER = `(${STRING}) in segments`;
/** `!"a" in segments` would mean something else: a negation needs its brackets. */
const SEGMENT = new RegExp(String.raw`^(?:${MEMBER}|(!)\(\s*${MEMBER}\s*\))$`);
const FLAG = /^(!?)flags\.([a-z][A-Za-z0-9]*)$/;
/** A path such as `spend["USD"].total`. */
const PATH = String.raw`[A-Za-z_][\w.]*(?:\[${STRING}\]|\.\w+)*`;
const COMPARE = new RegExp(String.raw`^(${PATH})\s*(==|!=|>=|<=|>|<)\s*(${LITERAL})$`);
const LIST = String.raw`(${PATH})\s+in\s*\[\s*((?:${LITERAL}\s*(?:,\s*${LITERAL}\s*)*)?)\]`;
const ONE_OF = new RegExp(String.raw`^(?:${LIST}|(!)\(\s*${LIST}\s*\))$`);

/** Undefined for a rule that the builder cannot show; no clauses for an empty one. */
export function readRule(text: string): Clause[] | undefined {
  if (text.trim() === '') return [];
  // && binds closer than ||, so alternatives without brackets are the whole rule.
  const alternatives = splitAt('||', text);
  const clauses =
    alternatives.length > 1
      ? [readAll(alternatives)]
      : splitAt('&&', text).map((part) => readAll(splitAt('||', withoutBrackets(part))));
  return clauses.every((each) => each !== undefined) ? (clauses as Clause[]) : undefined;
}

function readAll(texts: readonly string[]): Condition[] | undefined {
  const conditions = texts.map(readCondition);
  return conditions.every((each) => each !== undefined) ? (conditions as Condition[]) : undefined;
}

export function writeRule(clauses: readonly Clause[]): string {
  const texts = clauses.map((clause) => clause.map(writeCondition).join(' || '));
  return texts
    .map((text, index) => (clauses.length > 1 && (clauses[index]?.length ?? 0) > 1 ? `(${text})` : text))
    .join(' && ');
}

function writeCondition(condition: Condition): string {
  switch (condition.kind) {
    case 'segment':
      return negatedUnless(condition.isIn, `${JSON.stringify(condition.segmentId)} in segments`);
    case 'oneOf':
      return negatedUnless(condition.isIn, `${condition.attribute} in [${condition.literals.join(', ')}]`);
    case 'flag':
      return `${condition.isSet ? '' : '!'}flags.${condition.flagId}`;
    case 'compare':
      return `${condition.attribute} ${condition.operator} ${condition.literal}`;
  }
}

function negatedUnless(isIn: boolean, member: string): string {
  return isIn ? member : `!(${member})`;
}

function readCondition(text: string): Condition | undefined {
  const segment = SEGMENT.exec(text);
  if (segment !== null) {
    const segmentId = readLiteral(segment[1] ?? segment[3] ?? '');
    return typeof segmentId === 'string'
      ? { kind: 'segment', segmentId, isIn: segment[2] === undefined }
      : undefined;
  }
  const flag = FLAG.exec(text);
  if (flag?.[2] !== undefined) return { kind: 'flag', flagId: flag[2], isSet: flag[1] === '' };
  const oneOf = ONE_OF.exec(text);
  if (oneOf !== null) {
    const [, attribute = oneOf[4] ?? '', list = oneOf[5] ?? '', negation] = oneOf;
    const literals = list.match(new RegExp(LITERAL, 'g')) ?? [];
    if (literals.some((each) => readLiteral(each) === undefined)) return undefined;
    return { kind: 'oneOf', attribute, isIn: negation === undefined, literals };
  }
  const compare = COMPARE.exec(text);
  if (compare === null) return undefined;
  const [, attribute = '', operator, literal = ''] = compare;
  if (readLiteral(literal) === undefined) return undefined;
  // The literal stays as it is written: 5.0 and 5 have different types.
  return { kind: 'compare', attribute, operator: operator as Operator, literal };
}

/** Whether the builder can still show a condition with this attribute: half of a name or a search such as `money spent` is no attribute. */
export function isAttributePath(text: string): boolean {
  return COMPARE.exec(`${text} > 0`)?.[1] === text;
}

const PLAIN = /^(?:-?\d+(?:\.\d+)?|true|false)$/;

/** What is typed for a value, as a literal of the rule: a text is quoted, a number or true or false is not. */
export function literalOf(text: string, isText: boolean): string {
  return !isText && PLAIN.test(text.trim()) ? text.trim() : JSON.stringify(text);
}

/** Why a typed value cannot be compared with an attribute of a type: `14 days` is no number. */
export function valueProblem(text: string, type: string | undefined): string | undefined {
  const isNumber = type === 'int' || type === 'double';
  if (!isNumber || /^-?\d+(?:\.\d+)?$/.test(text.trim())) return undefined;
  return 'Write a number, without a unit.';
}

/** The condition with another attribute. A value or operator that the type of the attribute does not have is replaced. */
export function withAttribute(
  condition: Comparison,
  attribute: string,
  type: string | undefined,
): Comparison {
  const isText = type === 'string';
  const fits = (literal: string) => type === undefined || isText === literal.startsWith('"');
  if (condition.kind === 'oneOf')
    return { ...condition, attribute, literals: condition.literals.filter(fits) };
  if (fits(condition.literal)) return { ...condition, attribute };
  return isText
    ? { kind: 'compare', attribute, operator: '==', literal: '""' }
    : { ...condition, attribute, literal: '0' };
}

export function textOfLiteral(literal: string): string {
  return String(readLiteral(literal) ?? literal);
}

/** Undefined for a CEL string with escapes that JSON does not have: such a rule is edited as text. */
function readLiteral(text: string): string | number | boolean | undefined {
  try {
    return JSON.parse(text) as string | number | boolean;
  } catch {
    return undefined;
  }
}

const TOKENS = new RegExp(String.raw`${STRING}|&&|\|\||[\s\S]`, 'g');

/** The parts of a text between an operator, outside of texts and brackets. */
function splitAt(operator: '&&' | '||', text: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === '(' || token === '[') depth += 1;
    if (token === ')' || token === ']') depth -= 1;
    if (token === operator && depth === 0) parts.push('');
    else parts.push(`${parts.pop()}${token}`);
  }
  return parts.map((part) => part.trim());
}

/** `a || b` of `(a || b)`. What is left of `(a) == (b)` is no condition. */
function withoutBrackets(text: string): string {
  return text.startsWith('(') && text.endsWith(')') ? text.slice(1, -1) : text;
}
