/**
 * The rule builder's view of a CEL text: conditions that all have to hold. Any other text is edited as text only,
 * and nothing of it is lost. A text that the builder has written is read as the same conditions again.
 */
export type Operator = '==' | '!=' | '>' | '>=' | '<' | '<=';
export type Condition =
  | { kind: 'compare'; attribute: string; operator: Operator; literal: string }
  | { kind: 'segment'; segmentId: string; isIn: boolean }
  | { kind: 'flag'; flagId: string; isSet: boolean };

export const OPERATORS: readonly Operator[] = ['==', '!=', '>', '>=', '<', '<='];

const STRING = String.raw`"(?:[^"\\]|\\.)*"`;
const MEMBER = `(${STRING}) in segments`;
/** `!"a" in segments` would mean something else: a negation needs its brackets. */
const SEGMENT = new RegExp(String.raw`^(?:${MEMBER}|(!)\(\s*${MEMBER}\s*\))$`);
const FLAG = /^(!?)flags\.([a-z][A-Za-z0-9]*)$/;
/** A path such as `spend["USD"].total` or `daysSince(lastPurchase)`, an operator, a literal. */
const COMPARE = new RegExp(
  String.raw`^([A-Za-z_][\w.]*(?:\[${STRING}\]|\.\w+)*)\s*(==|!=|>=|<=|>|<)\s*(${STRING}|-?\d+(?:\.\d+)?|true|false)$`,
);

/** Undefined for a rule that the builder cannot show; no conditions for an empty one. */
export function readRule(text: string): Condition[] | undefined {
  if (text.trim() === '') return [];
  const conditions = splitAnd(text)?.map(readCondition);
  return conditions?.every((each) => each !== undefined) ? (conditions as Condition[]) : undefined;
}

export function writeRule(conditions: readonly Condition[]): string {
  return conditions.map(writeCondition).join(' && ');
}

function writeCondition(condition: Condition): string {
  switch (condition.kind) {
    case 'segment': {
      const member = `${JSON.stringify(condition.segmentId)} in segments`;
      return condition.isIn ? member : `!(${member})`;
    }
    case 'flag':
      return `${condition.isSet ? '' : '!'}flags.${condition.flagId}`;
    case 'compare':
      return `${condition.attribute} ${condition.operator} ${condition.literal}`;
  }
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

/** What is typed for a value, as a literal of the rule: a text is quoted, a number or true or false is not. */
export function literalOf(text: string, isText: boolean): string {
  return !isText && /^(?:-?\d+(?:\.\d+)?|true|false)$/.test(text.trim()) ? text.trim() : JSON.stringify(text);
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

/** At every `&&` outside strings; undefined where there is an `||` or a bracket that could contain one. */
function splitAnd(text: string): string[] | undefined {
  const parts = text
    .split(new RegExp(`(${STRING})`))
    .reduce<string[]>(
      (found, piece, index) => {
        const pieces = index % 2 === 1 ? [piece] : piece.split('&&');
        const [first = '', ...rest] = pieces;
        return [...found.slice(0, -1), `${found.at(-1)}${first}`, ...rest];
      },
      [''],
    )
    .map((part) => part.trim());
  return parts.some((part) => part === '' || hasOr(part)) ? undefined : parts;
}

function hasOr(part: string): boolean {
  return part.replace(new RegExp(STRING, 'g'), '').includes('||');
}
