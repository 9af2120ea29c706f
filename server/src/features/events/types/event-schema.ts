import { Ajv2020, type ErrorObject, type Logger, type Options } from 'ajv/dist/2020.js';
import { canonicalJson } from '../../../lib/canonical-json.js';
import { clipText } from '../../../lib/clip-text.js';
import { isObject } from '../../../lib/is-object.js';
import { parseEventTimestamp } from '../../../lib/iso-time.js';
import { UUID_ANY_CASE } from '../../../lib/uuid.js';

/**
 * JSON Schemas of event types: draft 2020-12, for the whole event as it was sent. Studios write them for their own events, so
 * a `pattern` that takes exponential time slows down only the studio itself; what a player can send into it is bounded by the
 * size and depth of an event. A schema is self-contained: nothing is ever fetched.
 */

/** Where and why an event does not match. */
export type SchemaFailure = { path: string; message: string };
export type EventSchema = (event: unknown) => SchemaFailure | undefined;

export type CheckedSchema =
  /** `warnings`: what the schema says without effect, such as a misspelt keyword. */
  { ok: true; warnings: string[] } | { ok: false; reason: string };

export const SCHEMA_LIMITS = Object.freeze({
  maxBytes: 65_536,
  /** An event is 16 levels deep at most, and a schema takes about three for each. */
  maxDepth: 64,
});

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

/** The formats that are checked. The draft makes `format` a mere note, and so is any other. */
const FORMATS = {
  'date-time': (text: string) => parseEventTimestamp(text) !== undefined,
  date: (text: string) => parseEventTimestamp(`${text}T00:00:00Z`) !== undefined,
  uuid: UUID_ANY_CASE,
};

/** Anything to be checked is checked as it is: nothing is coerced, filled in or taken away, and inherited members do not count. */
const OPTIONS: Options = {
  strict: false,
  ownProperties: true,
  formats: FORMATS,
  meta: false,
  validateSchema: false,
  // A larger definition is called instead: copied to each of its references, a small schema could become a huge program.
  inlineRefs: 8,
  logger: false,
};

/** Compiles a schema that `checkSchema` has found good. Takes milliseconds: keep the result. */
export function compileSchema(text: string): EventSchema {
  const validate = createAjv().compile(JSON.parse(text));
  return (event) => {
    try {
      return validate(event) ? undefined : describe(validate.errors?.[0]);
    } catch (error) {
      if (error instanceof RangeError) return ENDLESS;
      throw error;
    }
  };
}

/** Whether a text can be registered: a valid schema of this draft that stands alone and comes to an end. */
export function checkSchema(text: string): CheckedSchema {
  if (Buffer.byteLength(text) > SCHEMA_LIMITS.maxBytes) {
    return refuse(`The schema takes more than ${SCHEMA_LIMITS.maxBytes} bytes.`);
  }
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (error) {
    return refuse(`The schema is not valid JSON: ${(error as Error).message}.`);
  }
  const wrong = checkShape(schema);
  if (wrong !== undefined) return refuse(wrong);

  const warnings = new Set<string>();
  const logger: Logger = { log() {}, error() {}, warn: (message: string) => warnings.add(tidy(message)) };
  try {
    // First against the draft itself, which also finds unknown keywords; then as it will be used, which finds formats.
    createAjv({
      meta: true,
      validateSchema: true,
      strictSchema: 'log',
      validateFormats: false,
      logger,
    }).compile(schema as object);
    createAjv({ logger }).compile(schema as object);
  } catch (error) {
    return refuse(reasonOf(error as Error));
  }
  // Most schemas that refer to themselves without end do so for any event.
  if (compileSchema(text)({ eventType: '', timestamp: '', payload: {}, metadata: {} }) === ENDLESS) {
    return refuse(ENDLESS.message);
  }
  return { ok: true, warnings: [...warnings] };
}

const ENDLESS: SchemaFailure = Object.freeze({
  path: '',
  message: 'The schema refers to itself without end.',
});

/** An instance for each schema: they share neither identifiers nor references. */
function createAjv(options: Options = {}): Ajv2020 {
  const ajv = new Ajv2020({ ...OPTIONS, ...options });
  // The original compares each item with each other one: half a minute of work for one large event.
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must NOT have duplicate items' },
    validate: (unique: boolean, items: unknown[]) =>
      !unique || new Set(items.map(canonicalJson)).size === items.length,
  });
  return ajv;
}

function checkShape(schema: unknown): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (!isObject(schema)) return 'A schema is an object, or true or false.';
  if (isDeeper(schema, SCHEMA_LIMITS.maxDepth)) {
    return `The schema is nested more than ${SCHEMA_LIMITS.maxDepth} levels deep.`;
  }
  const { $schema = DRAFT, $async } = schema;
  if ($schema !== DRAFT && $schema !== `${DRAFT}#`) {
    return `$schema is ${JSON.stringify($schema)}; write the schema for ${DRAFT}.`;
  }
  return $async === undefined ? undefined : '$async is not part of JSON Schema and not supported.';
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels < 1 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}

function refuse(reason: string): CheckedSchema {
  return { ok: false, reason };
}

function reasonOf(error: Error & { missingRef?: string }): string {
  if (error.missingRef !== undefined) {
    return `The schema refers to ${error.missingRef}, which is not in it. Put it into $defs: nothing is fetched.`;
  }
  return `The schema is not valid: ${error.message.replace(/^schema is invalid: /, '').replaceAll(/\bdata(?=[/ ])/g, '#')}.`;
}

function tidy(warning: string): string {
  return warning
    .replace(/^strict mode: /, '')
    .replace(/ ignored in schema at path "(.*)"$/, ' is not checked, at $1');
}

/** A message is read by people and stored: a member of a megabyte is not repeated in it. */
const MAX_NAME = 64;
const MAX_PATH = 256;

function describe(error: ErrorObject | undefined): SchemaFailure {
  if (error === undefined) return { path: '', message: 'The event does not match.' };
  const path = error.instancePath;
  const { additionalProperty, unevaluatedProperty, allowedValue, allowedValues } = error.params;
  const name = additionalProperty ?? unevaluatedProperty;
  const detail =
    name !== undefined
      ? `: ${clipText(JSON.stringify(name), MAX_NAME)}`
      : allowedValues !== undefined || allowedValue !== undefined
        ? ` ${clipText(JSON.stringify(allowedValues ?? allowedValue), MAX_NAME)}`
        : '';
  const rule = clipText(error.schemaPath, MAX_PATH);
  return {
    path,
    message: `${clipText(path, MAX_PATH) || 'The event'} ${error.message}${detail} (rule ${rule}).`,
  };
}
