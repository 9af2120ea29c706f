import type { TLocalizedValidationError } from 'typebox/error';
import { Settings } from 'typebox/system';
import { pointerPart } from '../../platform/lib/json-pointer.js';
import type { Suggest } from '../../platform/lib/nearest-name.js';
import { noMember, type SchemaPart, schemaAt, valueAt } from '../../platform/lib/schema-members.js';
import { alternativesOf, ruleOf } from '../../platform/lib/schema-rules.js';
import { PATTERNS, patternProblem } from '../document/document-patterns.js';
import type { DocumentRegistry } from '../document/document-registry.js';
import { MAX_PROBLEMS, type ProblemList } from './document-problems.js';

type SchemaError = TLocalizedValidationError;

/**
 * Adds everything in which a value does not have the shape of a document, one sentence per wrong value. False if there may be
 * more: then nothing is known of the other parts.
 */
export function findSchemaProblems(
  value: unknown,
  { schema, validator }: DocumentRegistry,
  problems: ProblemList,
  suggest: Suggest,
): boolean {
  if (validator.Check(value)) return true;
  const errors = allErrors(value, validator);
  const said = new Set<string>();
  for (const error of withoutBranches(errors)) {
    for (const { pointer, message } of describe(error, value, schema, suggest)) {
      if (said.has(pointer)) continue;
      if (problems.isFull) return false;
      said.add(pointer);
      problems.add(pointer, message);
    }
  }
  return errors.length < MAX_PROBLEMS;
}

/** By default TypeBox stops at the eighth. */
function allErrors(value: unknown, validator: DocumentRegistry['validator']): SchemaError[] {
  const { maxErrors } = Settings.Get();
  Settings.Set({ maxErrors: MAX_PROBLEMS });
  try {
    const [, errors] = validator.Errors(value);
    return errors;
  } finally {
    Settings.Set({ maxErrors });
  }
}

/**
 * Where a value may have one of several forms, TypeBox reports errors for each form. Those of the form that was probably
 * meant are kept: one of the right type whose members fit best, if there is any.
 */
function withoutBranches(errors: readonly SchemaError[]): SchemaError[] {
  let kept = [...errors];
  for (const union of errors.filter(({ keyword }) => keyword === 'anyOf')) {
    const prefix = `${union.schemaPath}/anyOf/`;
    const branches = new Map<string, SchemaError[]>();
    const others: SchemaError[] = [];
    for (const error of kept) {
      const isOfUnion =
        error.schemaPath.startsWith(prefix) && isWithin(error.instancePath, union.instancePath);
      const [branch = ''] = error.schemaPath.slice(prefix.length).split('/', 1);
      if (isOfUnion) branches.set(branch, [...(branches.get(branch) ?? []), error]);
      else if (error !== union) others.push(error);
    }
    const ranked = [...branches].map(([index, branch]) => ({
      branch,
      misfit: misfit(branch, union, `${prefix}${index}/properties/`),
    }));
    const best = Math.min(...ranked.map((each) => each.misfit));
    const meant = ranked.filter((each) => each.misfit === best).flatMap((each) => each.branch);
    kept = [...others, ...(best < WRONG_KIND ? meant : [union])];
  }
  return kept;
}

function isWithin(path: string, parent: string): boolean {
  return path === parent || path.startsWith(`${parent}/`);
}

const WRONG_KIND = Number.POSITIVE_INFINITY;
/** Forms tell themselves apart by a word, as in `"kind": "sum"`, and by which members they have. */
const ANOTHER_WORD = 5;
const UNKNOWN_MEMBER = 4;
/** A member whose value is none of those that it may have. */
const NO_CHOICE = 3;
const MISSING_MEMBER = 2;

/** How badly a value fits a form, by the errors of the form. `members`: where its members are in the schema. */
function misfit(branch: readonly SchemaError[], union: SchemaError, members: string): number {
  let sum = 0;
  for (const { keyword, instancePath, schemaPath } of branch) {
    if (instancePath === union.instancePath) {
      if (keyword === 'type' || keyword === 'const') return WRONG_KIND;
      if (keyword === 'additionalProperties') sum += UNKNOWN_MEMBER;
      if (keyword === 'required') sum += MISSING_MEMBER;
    } else if (schemaPath.startsWith(members) && !schemaPath.slice(members.length).includes('/')) {
      if (keyword === 'const') sum += ANOTHER_WORD;
      if (keyword === 'anyOf') sum += NO_CHOICE;
    }
  }
  return sum;
}

function describe(
  error: SchemaError,
  value: unknown,
  documentSchema: DocumentRegistry['schema'],
  suggest: Suggest,
): { pointer: string; message: string }[] {
  const { keyword, instancePath } = error;
  const schema = schemaAt(documentSchema, error.schemaPath);
  const place = (name: string) => `${instancePath}/${pointerPart(name)}`;
  switch (keyword) {
    case 'required':
      return error.params.requiredProperties.map((name) => ({
        pointer: place(name),
        message: 'This member is missing.',
      }));
    case 'additionalProperties': {
      const [pattern = ''] = Object.keys(schema.patternProperties ?? {});
      return error.params.additionalProperties.map((name) => ({
        pointer: place(name),
        message: patternProblem(pattern, name) ?? `There is ${noMember(name, schema, suggest)}`,
      }));
    }
    case 'boolean':
      // Says what `additionalProperties` says better.
      return [];
    case 'pattern': {
      const text = String(valueAt(value, instancePath));
      const problem = patternProblem(String(error.params.pattern), text, instancePath.split('/').at(-1));
      return [{ pointer: instancePath, message: problem ?? `The value ${ruleOf(error)}.` }];
    }
    case 'anyOf':
      return [{ pointer: instancePath, message: choiceProblem(schema) }];
    default:
      return [
        {
          pointer: instancePath,
          message: numberProblem(schema, valueAt(value, instancePath)) ?? `The value ${ruleOf(error)}.`,
        },
      ];
  }
}

/** A value of one of a few words, or of none of several forms. */
function choiceProblem(schema: SchemaPart): string {
  const alternatives = alternativesOf(schema);
  return alternatives === undefined ? 'The value has the wrong type.' : `Write ${alternatives}.`;
}

/** Most JSON has amounts as numbers, so the sentence says how to write them. */
function numberProblem({ pattern }: { pattern?: string }, value: unknown): string | undefined {
  if (typeof value !== 'number' || (pattern !== PATTERNS.price && pattern !== PATTERNS.pricePercent))
    return undefined;
  return `Amounts are texts, so that they stay exact: write "${value}".`;
}
