import { type Static, Type } from 'typebox';
import { clipText } from '../../platform/lib/clip-text.js';
import { compileSchema } from '../../platform/lib/json-schema/bounded-schema.js';
import { strict } from './member-schemas.js';

/** What a typed value may be. The default, the value of each rule and each pin satisfy it: games never get any other value. */

/** A type with bounds. Which members each kind has is checked by `checkValueType`, which has better sentences than a union. */
const BoundedType = Type.Object(
  {
    kind: Type.Union([
      Type.Literal('boolean'),
      Type.Literal('integer'),
      Type.Literal('number'),
      Type.Literal('string'),
      Type.Literal('json'),
    ]),
    minimum: Type.Optional(Type.Number()),
    maximum: Type.Optional(Type.Number()),
    /** In characters, which are code points. */
    minLength: Type.Optional(Type.Integer({ minimum: 0 })),
    maxLength: Type.Optional(Type.Integer({ minimum: 0 })),
    enum: Type.Optional(
      Type.Array(Type.Union([Type.String(), Type.Number()]), { minItems: 1, maxItems: 100 }),
    ),
    /** A JSON Schema of draft 2020-12. */
    schema: Type.Optional(Type.Unknown()),
  },
  { ...strict, title: 'ValueType' },
);

/** A bare name is a type without bounds. */
export const ValueType = Type.Union([
  Type.Literal('boolean'),
  Type.Literal('integer'),
  Type.Literal('number'),
  Type.Literal('string'),
  BoundedType,
]);

export type ValueType = Static<typeof ValueType>;
export type BoundedType = Static<typeof BoundedType>;
export type ValueKind = BoundedType['kind'];

export function boundedType(type: ValueType): BoundedType {
  return typeof type === 'string' ? { kind: type } : type;
}

/** Why a value does not satisfy a type, in words that follow the name of the value; undefined if it does. */
export type ValueCheck = (value: unknown) => string | undefined;

/** Throws for the schema of a type that `checkValueType` would refuse. */
export function valueCheckOf(type: ValueType): ValueCheck {
  const bounded = boundedType(type);
  switch (bounded.kind) {
    case 'boolean':
      return (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');
    case 'integer':
      return (value) =>
        Number.isSafeInteger(value) ? outsideOf(bounded, value as number) : 'must be a whole number';
    case 'number':
      return (value) =>
        typeof value === 'number' && Number.isFinite(value) ? outsideOf(bounded, value) : 'must be a number';
    case 'string':
      return (value) => (typeof value === 'string' ? lengthProblem(bounded, value) : 'must be a text');
    case 'json': {
      const check = compileSchema(JSON.stringify(bounded.schema), 'value');
      return (value) => {
        const failure = check(value);
        return failure && `does not match its schema: ${failure.message}`;
      };
    }
  }
}

function outsideOf({ minimum, maximum, enum: allowed }: BoundedType, value: number): string | undefined {
  if (minimum !== undefined && value < minimum) return `must be at least ${minimum}`;
  if (maximum !== undefined && value > maximum) return `must be at most ${maximum}`;
  return enumProblem(allowed, value);
}

function lengthProblem(
  { minLength = 0, maxLength = Number.POSITIVE_INFINITY, enum: allowed }: BoundedType,
  value: string,
): string | undefined {
  const length = [...value].length;
  if (length < minLength) return `must have at least ${minLength} characters`;
  if (length > maxLength) return `may have at most ${maxLength} characters`;
  return enumProblem(allowed, value);
}

const MAX_SHOWN = 200;

function enumProblem(allowed: BoundedType['enum'], value: string | number): string | undefined {
  if (allowed === undefined || allowed.includes(value)) return undefined;
  return `must be ${clipText(allowed.map((each) => JSON.stringify(each)).join(' or '), MAX_SHOWN)}`;
}
