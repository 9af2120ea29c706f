import type { GameValue } from './document.js';

type TypeWithBounds = Exclude<GameValue['type'], string>;
export type ValueKind = TypeWithBounds['kind'];

export const KINDS: readonly { value: ValueKind; label: string }[] = [
  { value: 'boolean', label: 'Switch (true or false)' },
  { value: 'integer', label: 'Whole number' },
  { value: 'number', label: 'Number' },
  { value: 'string', label: 'Text' },
  { value: 'json', label: 'JSON' },
];

export function boundsOf(type: GameValue['type']): TypeWithBounds {
  return typeof type === 'string' ? { kind: type } : type;
}

/** The first value of a new kind. */
const FIRST: Readonly<Record<ValueKind, unknown>> = {
  boolean: false,
  integer: 0,
  number: 0,
  string: '',
  json: {},
};

/** The value with another kind of type: bounds and values of the old kind make no sense any more. */
export function withKind(value: GameValue, kind: ValueKind): GameValue {
  const defaultValue = FIRST[kind];
  const type = kind === 'json' ? { kind, schema: { type: 'object' } } : { kind };
  return {
    ...value,
    type,
    defaultValue,
    rules: value.rules.map((rule) => ({ ...rule, value: defaultValue })),
  };
}

/** The type with another bound; an empty text takes the bound away. */
export function withBound(
  type: GameValue['type'],
  bound: 'minimum' | 'maximum' | 'minLength' | 'maxLength',
  text: string,
): GameValue['type'] {
  const { [bound]: _, ...rest } = boundsOf(type);
  const number = numberOf(text);
  return typeof number === 'number' ? { ...rest, [bound]: number } : rest;
}

/** The allowed values, one in each line; none: all are allowed. */
export function withAllowed(type: GameValue['type'], text: string): GameValue['type'] {
  const { enum: _, ...rest } = boundsOf(type);
  const lines = text.split('\n').filter((line) => line !== '');
  if (lines.length === 0) return rest;
  return { ...rest, enum: rest.kind === 'string' ? lines : lines.map(numberOf) };
}

/** A number, or the text itself where it is none: the service then says what is wrong with it. */
export function numberOf(text: string): number | string {
  const bare = text.trim().replace(',', '.');
  return bare === '' || !Number.isFinite(Number(bare)) ? text : Number(bare);
}

/** `whole number, 1 to 9` */
export function typeInWords(type: GameValue['type']): string {
  const { kind, minimum, maximum, minLength, maxLength, enum: allowed } = boundsOf(type);
  const name =
    KINDS.find(({ value }) => value === kind)
      ?.label.replace(/ \(.*/, '')
      .toLowerCase() ?? kind;
  const plain = kind === 'json' ? 'JSON' : name;
  if (allowed !== undefined) return `${plain}: ${allowed.join(', ')}`;
  const [from, to, unit] = kind === 'string' ? [minLength, maxLength, ' characters'] : [minimum, maximum, ''];
  if (from !== undefined && to !== undefined) return `${plain}, ${from} to ${to}${unit}`;
  if (from !== undefined) return `${plain}, at least ${from}${unit}`;
  return to === undefined ? plain : `${plain}, at most ${to}${unit}`;
}

/** A value in a line of a list. */
export function shownValue(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
