import { clipText } from '../clip-text.js';
import { isObject } from '../is-object.js';
import { parseEventTimestamp } from '../iso-time.js';
import { pointerPart } from '../json-pointer.js';
import { StepLimit, TooManySteps } from '../step-limit.js';
import { UUID_ANY_CASE } from '../uuid.js';
import { compileJsonSchema, type SchemaOptions } from './compile-schema.js';
import { checkAgainstDraft, DRAFT } from './draft-check.js';
import type { Failure } from './schema-check.js';
import { type Schema, SchemaError } from './schema-document.js';

/**
 * JSON Schemas that studios write, draft 2020-12: of their event types, for the whole event as it was sent, and of their values of
 * type json. All studios share the processes that check events and save schemas. So the cost of both is bounded here (ADR 0029): a
 * schema is compiled in time that grows with its text only, which takes too little for a thread of its own, and each event may take a
 * number of steps. A schema is self-contained: nothing is ever fetched.
 */

/** Where and why an event or a value does not match. */
export type SchemaFailure = { path: string; message: string };
export type BoundedSchema = (value: unknown) => SchemaFailure | undefined;
/** What is checked, in sentences. */
export type Checked = 'event' | 'value';

export type CheckedSchema =
  /** `warnings`: what the schema says without effect, such as a misspelt keyword. */
  { ok: true; warnings: string[] } | { ok: false; reason: string };

export const SCHEMA_LIMITS = Object.freeze({
  maxBytes: 65_536,
  /** An event is 16 levels deep at most, and a schema takes about three for each. */
  maxDepth: 64,
});

/**
 * What it may cost to check one event: steps, each of which looks at one part of the event by one part of the schema. An event of
 * 2 KB rarely takes 1,000. A batch holds 500 events and 1 MiB, so it takes 16 million steps at most.
 */
export const CHECK_LIMITS = Object.freeze({ steps: 10_000, stepsPerByte: 10 });

/** No text of these formats is longer. A longer one is not looked at. */
const MAX_FORMAT_LENGTH = 64;

/** The formats that are checked. The draft makes `format` a mere note, and so is any other. */
const FORMATS: SchemaOptions['formats'] = {
  'date-time': (text) => text.length <= MAX_FORMAT_LENGTH && parseEventTimestamp(text) !== undefined,
  date: (text) => text.length <= MAX_FORMAT_LENGTH && parseEventTimestamp(`${text}T00:00:00Z`) !== undefined,
  uuid: (text) => text.length <= MAX_FORMAT_LENGTH && UUID_ANY_CASE.test(text),
};

/** Compiles a schema that was stored. Throws where it breaks a rule that was made later. */
export function compileSchema(text: string, checked: Checked = 'event'): BoundedSchema {
  const { check } = compileJsonSchema(JSON.parse(text), { formats: FORMATS, onOther() {} });
  return (value) => {
    const steps = new StepLimit(CHECK_LIMITS.steps, () => CHECK_LIMITS.stepsPerByte * bytesOf(value));
    try {
      const failure = check(value, steps);
      return failure && describe(failure, checked);
    } catch (error) {
      if (error instanceof TooManySteps) return { path: '', message: tooExpensive(checked) };
      throw error;
    }
  };
}

function tooExpensive(checked: Checked): string {
  return `The ${checked} takes more than ${CHECK_LIMITS.steps} steps, and ${CHECK_LIMITS.stepsPerByte} more for each byte, to be checked by its schema.`;
}

/** Why a stored schema cannot be used, or undefined. It was registered when there were fewer rules. */
export function whyUnusable(text: string): string | undefined {
  try {
    compileSchema(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Whether a text can be registered: a valid schema of this draft that stands alone, and whose cost is bounded. */
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
  try {
    requireDraft(schema);
    const { warnings } = compileJsonSchema(schema as Schema, { formats: FORMATS, onOther: requireDraft });
    return { ok: true, warnings: [...warnings] };
  } catch (error) {
    if (error instanceof SchemaError) return refuse(error.message);
    throw error;
  }
}

function requireDraft(schema: unknown): void {
  const reason = checkAgainstDraft(schema);
  if (reason !== undefined) throw new SchemaError(`The schema is not valid: ${reason}.`);
}

function checkShape(schema: unknown): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (!isObject(schema)) return 'A schema is an object, or true or false.';
  if (isDeeper(schema, SCHEMA_LIMITS.maxDepth)) {
    return `The schema is nested more than ${SCHEMA_LIMITS.maxDepth} levels deep.`;
  }
  const { $schema = DRAFT } = schema;
  return $schema === DRAFT || $schema === `${DRAFT}#`
    ? undefined
    : `$schema is ${JSON.stringify($schema)}; write the schema for ${DRAFT}.`;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels < 1 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function refuse(reason: string): CheckedSchema {
  return { ok: false, reason };
}

/** A message is read by people and stored: a member of a megabyte is not repeated in it. */
const MAX_PATH = 256;

function describe({ path: names, rule, message }: Failure, checked: Checked): SchemaFailure {
  const path = names
    .map((name) => `/${pointerPart(String(name))}`)
    .reverse()
    .join('');
  return {
    path,
    message: `${clipText(path, MAX_PATH) || `The ${checked}`} ${message} (rule ${clipText(rule, MAX_PATH)}).`,
  };
}
