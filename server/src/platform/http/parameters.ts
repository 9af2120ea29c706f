import type { TSchema } from 'typebox';
import { ApiError } from '../errors.js';
import { MAX_INTEGER } from '../lib/max-integer.js';

/** As much of a JSON Schema as the parameters of addresses use. */
type ParameterSchema = Readonly<{
  type?: string;
  minimum?: number;
  maximum?: number;
  default?: unknown;
  anyOf?: readonly { const?: unknown }[];
}>;
type ParametersSchema = Readonly<{
  properties?: Readonly<Record<string, ParameterSchema>>;
  required?: readonly string[];
}>;

/**
 * The parameters of an address, or of its query, as their schema says: whole numbers as numbers, defaults for what is not given.
 * Each may be given once. What the schema does not name is left out.
 */
export function readParameters(
  schema: TSchema,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const { properties = {}, required = [] } = schema as ParametersSchema;
  const read: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(properties)) {
    const isGiven = Object.hasOwn(given, name);
    if (isGiven || required.includes(name)) read[name] = readParameter(name, given[name], property);
    else if (property.default !== undefined) read[name] = property.default;
  }
  return read;
}

function readParameter(name: string, text: unknown, schema: ParameterSchema): unknown {
  if (schema.type === 'integer') return readWholeNumber(name, text, schema);
  const choices = schema.anyOf?.map((choice) => choice.const);
  if (typeof text === 'string' && (choices === undefined || choices.includes(text))) return text;
  throw invalid(name, choices === undefined ? 'a text' : choices.join(' or '));
}

function readWholeNumber(
  name: string,
  text: unknown,
  { minimum = 0, maximum = MAX_INTEGER }: ParameterSchema,
): number {
  const value = typeof text === 'string' && /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= minimum && value <= maximum) return value;
  throw invalid(name, `a whole number from ${minimum} to ${maximum}`);
}

function invalid(name: string, what: string): ApiError {
  return new ApiError('parameter_invalid', { message: `${name} must be ${what}, given once.` });
}

/** A text of the address or its query that is looked up or stored. */
export function textParameter(name: string, text: unknown, maxLength: number): string {
  const isText = typeof text === 'string' && text !== '' && !text.includes('\0');
  // Characters are code points, of which each takes one or two units.
  if (isText && text.length <= 2 * maxLength && [...text].length <= maxLength) return text;
  throw invalid(name, `a text of 1 to ${maxLength} characters`);
}
