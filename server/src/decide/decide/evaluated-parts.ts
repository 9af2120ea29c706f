import { nodeNames } from '../compile/compile-flags-and-segments.js';
import type { CompiledDocument, CompiledExperiment, CompiledValue } from '../compile/compiled-document.js';
import { entryName, type ListPart } from '../document/document-part.js';
import { FLAGS } from '../document/parts/flags.js';
import { OFFERS } from '../document/parts/offers.js';
import { SEGMENTS } from '../document/parts/segments.js';
import type { CompiledRule } from '../rules/rules.js';
import { OfferEvaluator } from './decide-offers.js';
import { isHeldOut } from './decide-store.js';
import { decideValues } from './decide-values.js';
import type { DecisionContext } from './decision-context.js';

/** What decides for which players an entry is true. */
export type EvaluatedEntry = Readonly<{
  id: string;
  /** What its rules refer to is evaluated before it. */
  rules: readonly CompiledRule[];
  /** Everything besides the rules, as text. */
  conditions: string;
}>;

/** A part whose entries are true or false for a player. Dry runs and audiences walk over these parts. */
export type EvaluatedPart = Readonly<{
  part: Pick<ListPart, 'name' | 'noun' | 'idMember'>;
  /** Of a whole document, in the order in which they are listed. */
  entriesOf: (document: CompiledDocument) => readonly EvaluatedEntry[];
  /** The document without the other entries of this part. */
  keep: (document: CompiledDocument, isKept: (id: string) => boolean) => CompiledDocument;
  /** The entries that are true for a player, by id. Flags and segments are decided before, because other rules refer to them. */
  evaluate: (context: DecisionContext) => ReadonlySet<string>;
  /** For the documentation of the admin API. */
  exampleId: string;
  description?: string;
}>;

const NONE: ReadonlySet<string> = new Set();

const flags = {
  part: FLAGS,
  entriesOf: ({ flagsAndSegments, payerForDays }) =>
    flagsAndSegments.flatMap((node) => {
      if (node.kind !== 'flag') return [];
      const conditions = JSON.stringify([
        node.defaultValue,
        node.isPayer ? payerForDays : null,
        node.schedule?.key,
      ]);
      return [{ id: node.flagId, rules: rulesOf(node), conditions }];
    }),
  keep: (document, isKept) => ({
    ...document,
    flagsAndSegments: document.flagsAndSegments.filter((node) => node.kind !== 'flag' || isKept(node.flagId)),
  }),
  evaluate: ({ attributes }) => {
    const found = new Set<string>();
    for (const [flagId, value] of attributes.flags) if (value) found.add(flagId);
    return found;
  },
  exampleId: 'isPayer',
} as const satisfies EvaluatedPart;

const segments = {
  part: SEGMENTS,
  entriesOf: ({ segments: compiled }) =>
    compiled.map(({ listed, rule, thresholds }) => ({
      id: listed.segmentId,
      rules: [rule],
      conditions: thresholds?.key ?? '',
    })),
  keep: (document, isKept) => ({
    ...document,
    flagsAndSegments: document.flagsAndSegments.filter(
      (node) => node.kind !== 'segment' || isKept(node.listed.segmentId),
    ),
    // Nobody is told in which order they are listed.
    segments: [],
  }),
  evaluate: ({ attributes }) => attributes.segments,
  exampleId: 'payer',
} as const satisfies EvaluatedPart;

/** Conditions compare what decides whether an offer applies, not what it does to SKUs. */
const offers = {
  part: OFFERS,
  entriesOf: ({ offers: compiled, holdoutPercent }) =>
    compiled.map(({ offerId, rule, sharePercent, holdout, from, until, schedule, ...limit }) => ({
      id: offerId,
      rules: rulesOf({ rule }),
      conditions: JSON.stringify([
        holdoutPercent,
        holdout?.percent,
        sharePercent,
        from,
        until,
        schedule?.key,
        limit.limitPerPlayer,
        limit.promoId,
      ]),
    })),
  keep: (document, isKept) => ({
    ...document,
    offers: document.offers.filter(({ offerId }) => isKept(offerId)),
  }),
  evaluate: (context) => {
    const { document, facts } = context;
    if (document.offers.length === 0 || isHeldOut(document, facts)) return NONE;
    const evaluator = new OfferEvaluator(context);
    const found = new Set<string>();
    for (const offer of document.offers) if (evaluator.applies(offer)) found.add(offer.offerId);
    return found;
  },
  exampleId: 'winter_sale',
  description: 'The players to whom the offer applies',
} as const satisfies EvaluatedPart;

/** Each outcome of a value is an entry: it is true for the players who get it. */
const values = {
  part: { name: 'values', noun: 'value', idMember: 'outcome' },
  entriesOf: ({ values: compiled }) =>
    compiled.flatMap((value) => {
      const rules = value.rules.flatMap(rulesOf);
      const conditions = JSON.stringify([
        value.defaultOutcome.name,
        ...value.rules.map(({ rule, schedule, sharePercent, outcome }) => [
          rule?.expression,
          schedule?.key,
          sharePercent,
          outcome.name,
        ]),
      ]);
      return [...outcomeNames(value)].map((id) => ({ id, rules, conditions }));
    }),
  keep: (document, isKept) => ({
    ...document,
    values: document.values.filter((value) => [...outcomeNames(value)].some(isKept)),
  }),
  evaluate: (context) =>
    context.document.values.length === 0
      ? NONE
      : new Set(decideValues(context).map(({ outcome }) => outcome.name)),
  exampleId: 'jump_height = 3',
  description: 'The players who get this value of a key',
} as const satisfies EvaluatedPart;

/** Each arm of an experiment is an entry: it is true for the players who are in it. */
const experiments = {
  part: { name: 'experiments', noun: 'experiment', idMember: 'arm' },
  entriesOf: ({ experiments: compiled }) =>
    [...compiled.values()].flatMap((experiment) => {
      const { rule, salt, slot, ranges, isAboutOffers, ...plain } = experiment;
      // The salt and the slot say in which layer it is.
      const conditions = JSON.stringify([plain, [...salt], slot, ranges, isAboutOffers]);
      return armNames(experiment).map((id) => ({ id, rules: rulesOf({ rule }), conditions }));
    }),
  keep: (document, isKept) => ({
    ...document,
    experiments: new Map(
      [...document.experiments].filter(([, experiment]) => armNames(experiment).some(isKept)),
    ),
  }),
  evaluate: ({ document, attributes }) => {
    if (document.experiments.size === 0) return NONE;
    const found = new Set<string>();
    for (const id of document.experiments.keys()) {
      const variantId = attributes.arms.variantOf(id);
      if (variantId !== '') found.add(armName(id, variantId));
    }
    return found;
  },
  exampleId: 'price_test = b',
  description: 'The players who are in this arm of an experiment',
} as const satisfies EvaluatedPart;

export const EVALUATED_PARTS = [flags, segments, offers, values, experiments] as const;

function armName(experimentId: string, variantId: string): string {
  return `${experimentId} = ${variantId}`;
}

function armNames({ experimentId, variantIds }: CompiledExperiment): string[] {
  return variantIds.map((variantId) => armName(experimentId, variantId));
}

/** The arms behind the name by which rules refer to an experiment, such as `experiment:price_test`; for any other name itself. */
export function entriesNamed({ experiments: compiled }: CompiledDocument, name: string): readonly string[] {
  const prefix = `${experiments.part.noun}:`;
  const experiment = name.startsWith(prefix) ? compiled.get(name.slice(prefix.length)) : undefined;
  if (experiment === undefined) return [name];
  return armNames(experiment).map((id) => entryName(experiments.part, id));
}

function rulesOf({ rule }: Readonly<{ rule: CompiledRule | null }>): CompiledRule[] {
  return rule === null ? [] : [rule];
}

function outcomeNames({ defaultOutcome, rules }: CompiledValue): Set<string> {
  return new Set([defaultOutcome.name, ...rules.map(({ outcome }) => outcome.name)]);
}

/** The entries of all parts by their names, such as `segment:payer`. */
export function evaluatedEntries(
  document: CompiledDocument,
  parts: readonly EvaluatedPart[],
): Map<string, EvaluatedEntry> {
  return new Map(
    parts.flatMap(({ part, entriesOf }) =>
      entriesOf(document).map((entry) => [entryName(part, entry.id), entry] as const),
    ),
  );
}

/** The wanted entries of a document and those that their rules refer to, so that less is read and evaluated for each player. */
export function neededEntries(
  document: CompiledDocument,
  isWanted: (name: string) => boolean,
  parts: readonly EvaluatedPart[] = EVALUATED_PARTS,
): CompiledDocument {
  const entries = evaluatedEntries(document, parts);
  const needed = new Set<string>();
  const add = (name: string) => {
    if (needed.has(name)) return;
    needed.add(name);
    for (const rule of entries.get(name)?.rules ?? []) {
      for (const need of nodeNames(rule)) entriesNamed(document, need).forEach(add);
    }
  };
  for (const name of entries.keys()) if (isWanted(name)) add(name);
  return parts.reduce(
    (kept, { part, keep }) => keep(kept, (id) => needed.has(entryName(part, id))),
    document,
  );
}
