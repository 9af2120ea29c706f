import { checkStorable } from '../../lib/json-body.js';
import { createSuggest } from '../../lib/nearest-name.js';
import { runSteps, type Steps } from '../../lib/steps.js';
import type { AttributeRegistry } from '../attributes/attribute-registry.js';
import { ATTRIBUTE_REGISTRY } from '../attributes/attributes.js';
import type { ConfigDocument } from '../document/document.js';
import { DOCUMENT_LIMITS } from '../document/document-limits.js';
import { toBasisPoints } from '../document/prices.js';
import { type DocumentProblem, type Entry, ProblemList } from './document-problems.js';
import { findSchemaProblems } from './schema-problems.js';
import { validateCatalogue } from './validate-catalogue.js';
import { validateOffers } from './validate-offers.js';
import { validateRules } from './validate-rules.js';
import { validateThresholds } from './validate-thresholds.js';

export type Validation =
  | Readonly<{ ok: true; document: ConfigDocument }>
  | Readonly<{ ok: false; problems: readonly DocumentProblem[] }>;

/**
 * Checks everything that must be right before a document is published, and reports all problems at once, up to
 * `MAX_PROBLEMS`. An entry of the wrong shape is only reported as such; the others are checked further.
 */
export function validateDocument(value: unknown, attributes?: AttributeRegistry): Validation {
  return runSteps(validationSteps(value, attributes));
}

/** The same in steps: one for the shape of the whole, then one for each entry of the document. */
export function* validationSteps(
  value: unknown,
  attributes: AttributeRegistry = ATTRIBUTE_REGISTRY,
): Steps<Validation> {
  const problems = new ProblemList(value);
  const suggest = createSuggest();
  if (!findSchemaProblems(value, problems, suggest)) return { ok: false, problems: problems.all };
  yield;
  findUnstorable(value, problems);
  const parts = readParts(
    value,
    problems.all.map(({ pointer }) => pointer),
  );
  yield;

  problems.duplicates(parts.flags, 'flagId', ({ flagId }) => flagId);
  for (const { entry, pointer } of parts.flags) {
    if (entry.flagId === 'isPayer') problems.add(`${pointer}/flagId`, 'isPayer is built in.');
  }
  problems.duplicates(parts.segments, 'segmentId', ({ segmentId }) => segmentId);
  validateThresholds(parts.segments, problems);
  yield* validateRules(parts, { attributes, ...parts.names }, suggest, problems);
  yield* validateCatalogue(parts.skus, parts.largestDiscount, problems);
  yield* validateOffers(
    parts.offers,
    {
      skus: parts.skus.map(({ entry }) => entry),
      skuIds: parts.skuIds,
      largestDiscount: parts.largestDiscount,
      suggest,
    },
    problems,
  );
  if (problems.all.length > 0) return { ok: false, problems: problems.all };
  return { ok: true, document: value as ConfigDocument };
}

/** HTTP bodies are checked for this before; files that a command reads, and JSON inside of a CSV file, are not. */
function findUnstorable(value: unknown, problems: ProblemList): void {
  const found = checkStorable(value, MAX_DEPTH, true);
  if (found?.code === 'invalid_unicode') {
    problems.add(
      found.path,
      'A text holds a NUL character or half of a surrogate pair: it cannot be stored.',
    );
  }
}

/** Deeper than any document that has the right shape. */
const MAX_DEPTH = 16;

type List<Name extends 'segments' | 'catalogue' | 'offers'> = ConfigDocument[Name][number];

/**
 * The entries that have the right shape; with the names of the others, so that references to those are not reported as well.
 */
function readParts(value: unknown, wrongPointers: readonly string[]) {
  const document = membersOf(value);
  const wrong = new Set(wrongPointers);
  const shapeless = new Set(wrongPointers.flatMap(entriesAbove));
  const entriesOf = <T>(list: unknown, pointer: string): Entry<T>[] =>
    (Array.isArray(list) ? list.slice(0, MAX_ENTRIES) : [])
      .map((entry: T, index) => ({ entry, pointer: `${pointer}/${index}` }))
      .filter((each) => !shapeless.has(each.pointer));

  const { custom } = membersOf(document.flags);
  const store = membersOf(document.store);
  const isDiscountGood = !['', '/store', '/store/largestDiscountPercent'].some((path) => wrong.has(path));
  return {
    flags: entriesOf<ConfigDocument['flags']['custom'][number]>(custom, '/flags/custom'),
    segments: entriesOf<List<'segments'>>(document.segments, '/segments'),
    skus: entriesOf<List<'catalogue'>>(document.catalogue, '/catalogue'),
    offers: entriesOf<List<'offers'>>(document.offers, '/offers'),
    names: {
      flags: new Set(['isPayer', ...namesIn(custom, 'flagId')]),
      segments: new Set(namesIn(document.segments, 'segmentId')),
    },
    skuIds: new Set(namesIn(document.catalogue, 'skuId')),
    largestDiscount: toBasisPoints(isDiscountGood ? String(store.largestDiscountPercent) : '100'),
  };
}

const MAX_ENTRIES = Math.max(DOCUMENT_LIMITS.skus, DOCUMENT_LIMITS.offers, DOCUMENT_LIMITS.segments);

function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function namesIn(list: unknown, member: string): string[] {
  if (!Array.isArray(list)) return [];
  return list.map((entry) => membersOf(entry)[member]).filter((name) => typeof name === 'string');
}

/** Where the entry that a problem is inside of may stand: `/offers/3`, or `/flags/custom/3`. */
function entriesAbove(pointer: string): string[] {
  const parts = pointer.split('/', 4);
  return [parts.slice(0, 3).join('/'), parts.join('/')];
}
