import type { TLocalizedValidationError } from 'typebox/error';
import { Compile } from 'typebox/schema';
import { Settings } from 'typebox/system';
import { ConfigDocument } from './document.js';
import { MAX_PROBLEMS, type ProblemList, pointerPart } from './document-problems.js';

const validator = Compile(ConfigDocument);

type SchemaError = TLocalizedValidationError;

/**
 * Everything in which a value does not have the shape of a document, one sentence a culprit. False if there may be more:
 * then nothing is known of the parts that none of them is about.
 */
export function findSchemaProblems(value: unknown, problems: ProblemList): boolean {
  if (validator.Check(value)) return true;
  const errors = allErrors(value);
  const said = new Set<string>();
  for (const error of withoutBranches(errors)) {
    for (const { pointer, message } of describe(error)) {
      if (said.has(pointer)) continue;
      if (problems.isFull) return false;
      said.add(pointer);
      problems.add(pointer, message);
    }
  }
  return errors.length < MAX_PROBLEMS;
}

/** By default TypeBox stops at the eighth. */
function allErrors(value: unknown): SchemaError[] {
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
 * Where a value may have one of several forms, errors come for each form. Those of the form that was probably meant are
 * kept: of one that has the right type and the required members, if there is any.
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
      const [branch = ''] = error.schemaPath.slice(prefix.length).split('/');
      if (isOfUnion) branches.set(branch, [...(branches.get(branch) ?? []), error]);
      else if (error !== union) others.push(error);
    }
    const ranked = [...branches.values()].map((branch) => ({ branch, misfit: misfit(branch, union) }));
    const best = Math.min(...ranked.map((each) => each.misfit));
    const meant = ranked.filter((each) => each.misfit === best).flatMap((each) => each.branch);
    kept = [...others, ...(best < WRONG_KIND ? meant : [union])];
  }
  return kept;
}

function isWithin(path: string, parent: string): boolean {
  return path === parent || path.startsWith(`${parent}/`);
}

const WRONG_KIND = 2;

function misfit(branch: readonly SchemaError[], union: SchemaError): number {
  const own = branch.filter(({ instancePath }) => instancePath === union.instancePath);
  if (own.some(({ keyword }) => keyword === 'type' || keyword === 'const')) return WRONG_KIND;
  return own.some(({ keyword }) => keyword === 'required') ? 1 : 0;
}

function describe(error: SchemaError): { pointer: string; message: string }[] {
  const { keyword, instancePath } = error;
  if (keyword === 'required') {
    return error.params.requiredProperties.map((name) => ({
      pointer: `${instancePath}/${pointerPart(name)}`,
      message: 'This member is missing.',
    }));
  }
  if (keyword === 'additionalProperties') {
    return error.params.additionalProperties.map((name) => ({
      pointer: `${instancePath}/${pointerPart(name)}`,
      message: 'There is no such member here.',
    }));
  }
  // Says what `additionalProperties` says better.
  if (keyword === 'boolean') return [];
  if (keyword === 'anyOf') return [{ pointer: instancePath, message: 'The value has the wrong type.' }];
  return [{ pointer: instancePath, message: `The value ${error.message}.` }];
}
