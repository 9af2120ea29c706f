import { clipText } from '../../platform/lib/clip-text.js';
import { checkStorable, type Unstorable } from '../../platform/lib/json-body.js';
import { createSuggest } from '../../platform/lib/nearest-name.js';
import { runSteps, type Steps } from '../../platform/lib/steps.js';
import type { AttributeRegistry } from '../attributes/attribute-registry.js';
import { ATTRIBUTE_REGISTRY } from '../attributes/attributes.js';
import { withOwnAttributes } from '../attributes/own-attribute.js';
import { variantsOf } from '../compile/compile-flags-and-segments.js';
import { type ConfigDocument, DOCUMENT_REGISTRY } from '../document/document.js';
import type { DocumentRegistry } from '../document/document-registry.js';
import { OWN_ATTRIBUTES } from '../document/parts/attributes.js';
import { SKUS } from '../document/parts/catalogue.js';
import { EXPERIMENTS } from '../document/parts/experiments.js';
import { FLAGS } from '../document/parts/flags.js';
import { OFFERS } from '../document/parts/offers.js';
import type { PricingSettings } from '../document/parts/pricing.js';
import { SEGMENTS } from '../document/parts/segments.js';
import { VALUES } from '../document/parts/values.js';
import { toBasisPoints } from '../document/prices.js';
import type { KnownExperiments } from '../rules/rule-paths.js';
import { isTimeZone } from '../schedules/zone-time.js';
import { DocumentEntries, membersOf } from './document-entries.js';
import { type DocumentProblem, ProblemList } from './document-problems.js';
import { findSchemaProblems } from './schema-problems.js';
import { distinctIds, validateAttributes } from './validate-attributes.js';
import { validateCatalogue } from './validate-catalogue.js';
import { validateExperiments } from './validate-experiments.js';
import { validateOffers } from './validate-offers.js';
import { validateForbidden } from './validate-pricing.js';
import { validateRules } from './validate-rules.js';
import { validateSpread } from './validate-spread.js';
import { validateValues } from './validate-values.js';

export type Validation =
  | Readonly<{ ok: true; document: ConfigDocument }>
  | Readonly<{ ok: false; problems: readonly DocumentProblem[] }>;

/**
 * Checks everything that must be right before a document is published, and reports all problems at once, up to
 * `MAX_PROBLEMS`. An entry of the wrong shape is only reported as such; the others are checked further.
 */
export function validateDocument(
  value: unknown,
  attributes?: AttributeRegistry,
  registry?: DocumentRegistry,
): Validation {
  return runSteps(validationSteps(value, attributes, registry));
}

/** The same in steps: a few for the document as a whole, then at least one for each entry. */
export function* validationSteps(
  value: unknown,
  builtIn: AttributeRegistry = ATTRIBUTE_REGISTRY,
  registry: DocumentRegistry = DOCUMENT_REGISTRY,
): Steps<Validation> {
  const problems = new ProblemList(value, registry.lists);
  const suggest = createSuggest();
  if (!findSchemaProblems(value, registry, problems, suggest)) return { ok: false, problems: problems.all };
  yield;
  findUnstorable(value, problems);
  const wrongPointers = problems.all.map(({ pointer }) => pointer);
  const largestDiscount = largestDiscountOf(value, wrongPointers);
  const found = new DocumentEntries(value, registry.lists, wrongPointers);
  yield;

  for (const part of registry.lists) {
    const entries = found.of(part);
    problems.duplicates(entries, part);
    for (const { entry, pointer } of entries) {
      part.check?.(entry, pointer, problems);
      yield;
    }
  }
  const own = found.of(OWN_ATTRIBUTES);
  validateAttributes(own, problems);
  const attributes = withOwnAttributes(builtIn, distinctIds(own));
  const scope = {
    attributes,
    flags: new Set(['isPayer', ...found.idsOf(FLAGS)]),
    segments: new Set(found.idsOf(SEGMENTS)),
    experiments: knownExperiments(found),
  };
  const rules = yield* validateRules(found, registry.lists, scope, suggest, problems);

  const skus = found.of(SKUS);
  yield* validateCatalogue(skus, largestDiscount, problems);
  yield* validateOffers(
    found.of(OFFERS),
    {
      skus: skus.map(({ entry }) => entry),
      skuIds: new Set(found.idsOf(SKUS)),
      largestDiscount,
      suggest,
    },
    problems,
  );
  validateValues(found.of(VALUES), problems);
  const readings = validateExperiments(found.of(EXPERIMENTS), rules, problems);
  findUnknownZone(value, problems);
  const pricing = pricingOf(value, wrongPointers);
  if (pricing !== undefined) {
    validateForbidden(pricing, found.of(OFFERS), readings, attributes, suggest, problems);
    const { largestSpreadPercent } = pricing;
    // Only a document that is right otherwise can be compiled.
    if (largestSpreadPercent !== null && problems.all.length === 0) {
      yield* validateSpread(value as ConfigDocument, toBasisPoints(largestSpreadPercent), problems);
    }
  }
  if (problems.all.length > 0) return { ok: false, problems: problems.all };
  return { ok: true, document: value as ConfigDocument };
}

/** An experiment of the wrong shape is known by its id only, so that rules which name it are not reported as well. */
function knownExperiments(found: DocumentEntries): KnownExperiments {
  const ids = found.idsOf(EXPERIMENTS).map((id) => [id, []] as const);
  return new Map([...ids, ...variantsOf(found.of(EXPERIMENTS).map(({ entry }) => entry))]);
}

function findUnknownZone(document: unknown, problems: ProblemList): void {
  const { studioZone } = membersOf(membersOf(document).calendar);
  if (typeof studioZone !== 'string' || isTimeZone(studioZone)) return;
  problems.add(
    '/calendar/studioZone',
    `"${clipText(studioZone, 64)}" is not a time zone: write a name such as Europe/Berlin.`,
  );
}

/** Undefined if it is left out, or has the wrong shape. */
function pricingOf(document: unknown, wrongPointers: readonly string[]): PricingSettings | undefined {
  const isWrong = wrongPointers.some((path) => path === '' || path.startsWith('/pricing'));
  return isWrong ? undefined : (membersOf(document).pricing as PricingSettings | undefined);
}

/** HTTP bodies are checked for this before; files that a command reads, and JSON inside of a CSV file, are not. */
function findUnstorable(value: unknown, problems: ProblemList): void {
  const found = checkStorable(value, MAX_DEPTH, true);
  if (found !== undefined) problems.add(found.path, UNSTORABLE[found.code]);
}

/** Of values and their schemas: all else of a document is less deep. The same as for bodies of the admin API. */
const MAX_DEPTH = 32;

const UNSTORABLE: Readonly<Record<Unstorable['code'], string>> = {
  invalid_unicode: 'A text holds a NUL character or half of a surrogate pair: it cannot be stored.',
  number_out_of_range: 'The number is too large: it cannot be stored.',
  too_deep: `A document is nested ${MAX_DEPTH} levels deep at most.`,
};

/** Any discount, if the document does not say which is the largest, or says so in the wrong shape. */
function largestDiscountOf(document: unknown, wrongPointers: readonly string[]): bigint {
  const store = membersOf(membersOf(document).store);
  const isWrong = ['', '/store', '/store/largestDiscountPercent'].some((path) =>
    wrongPointers.includes(path),
  );
  return toBasisPoints(isWrong ? '100' : String(store.largestDiscountPercent));
}
