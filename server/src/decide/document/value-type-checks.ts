import { checkSchema } from '../../platform/lib/json-schema/bounded-schema.js';
import type { Problems } from './document-part.js';
import {
  type BoundedType,
  boundedType,
  type ValueKind,
  type ValueType,
  valueCheckOf,
} from './value-types.js';

/** A schema of this size is compiled in a few milliseconds, and a document has many. */
const MAX_SCHEMA_BYTES = 16_384;

type Bound = Exclude<keyof BoundedType, 'kind'>;

const BOUNDS: Record<ValueKind, readonly Bound[]> = {
  boolean: [],
  integer: ['minimum', 'maximum', 'enum'],
  number: ['minimum', 'maximum', 'enum'],
  string: ['minLength', 'maxLength', 'enum'],
  json: ['schema'],
};

/** Whether a type can be used: it has the bounds of its kind, and some value satisfies them. */
export function checkValueType(type: ValueType, pointer: string, problems: Problems): boolean {
  const bounded = boundedType(type);
  const found = [...misplaced(bounded), ...contradictions(bounded), ...schemaProblems(bounded)];
  for (const [member, message] of found) problems.add(`${pointer}/${member}`, message);
  return found.length === 0;
}

type Found = readonly [member: Bound, message: string];

function misplaced(type: BoundedType): Found[] {
  const own = BOUNDS[type.kind];
  const has = own.length === 0 ? 'has no bounds' : `has ${own.join(', ')} only`;
  return (Object.keys(type) as (Bound | 'kind')[])
    .filter((member) => member !== 'kind')
    .filter((member) => !own.includes(member))
    .map((member) => [member, `The type ${type.kind} ${has}.`]);
}

function contradictions(type: BoundedType): Found[] {
  const { kind, minimum, maximum, minLength, maxLength } = type;
  const found: Found[] = [];
  if (minimum !== undefined && maximum !== undefined && minimum > maximum) {
    found.push(['maximum', 'The maximum is below the minimum: no value would satisfy the type.']);
  }
  if (minLength !== undefined && maxLength !== undefined && minLength > maxLength) {
    found.push(['maxLength', 'maxLength is below minLength: no text would satisfy the type.']);
  }
  for (const bound of ['minimum', 'maximum'] as const) {
    const value = type[bound];
    if (kind === 'integer' && value !== undefined && !Number.isSafeInteger(value)) {
      found.push([bound, 'The bounds of whole numbers are whole numbers, between -(2^53 - 1) and 2^53 - 1.']);
    }
  }
  return found.length > 0 || kind === 'json' ? found : enumContradictions(type);
}

function enumContradictions(type: BoundedType): Found[] {
  const { enum: allowed = [], ...rest } = type;
  const check = valueCheckOf(rest);
  const wrong = allowed.flatMap((value): Found[] => {
    const problem = check(value);
    return problem === undefined
      ? []
      : [['enum', `${JSON.stringify(value)} can never be the value: it ${problem}.`]];
  });
  return wrong.slice(0, 1);
}

function schemaProblems({ kind, schema }: BoundedType): Found[] {
  if (kind !== 'json') return [];
  if (schema === undefined) {
    return [['schema', 'A value of type json needs a JSON Schema; true takes any value.']];
  }
  const text = JSON.stringify(schema);
  if (Buffer.byteLength(text) > MAX_SCHEMA_BYTES) {
    return [['schema', `The schema takes more than ${MAX_SCHEMA_BYTES} bytes.`]];
  }
  const checked = checkSchema(text);
  return checked.ok ? [] : [['schema', checked.reason]];
}
