import { documentWork } from '../../core/configs/document-work.js';
import type { AttributeRegistry } from '../../decide/attributes/attribute-registry.js';
import { epochDay, type PlayerFacts } from '../../decide/attributes/player-facts.js';
import { compilationSteps } from '../../decide/compile/compile-document.js';
import type { CompiledDocument } from '../../decide/compile/compiled-document.js';
import {
  type ComingInstant,
  type ComingInstants,
  comingInstants,
} from '../../decide/document/coming-instants.js';
import type { ConfigDocument } from '../../decide/document/document.js';
import type { ModelsInForce } from '../../decide/predict/models-in-force.js';
import type { RateTable } from '../../studio/money/exchange-rates.js';
import { differenceSteps } from '../configs/document-difference.js';
import { evaluatePlayer } from '../evaluations/evaluate-player.js';
import { type FactColumns, factColumns } from '../evaluations/fact-columns.js';
import { type FactNeeds, factNeeds } from '../evaluations/fact-needs.js';
import { DryRunReport } from './dry-run-report.js';
import { compareDocuments } from './unchanged-parts.js';

/** The question of a dry run. */
export type TriedDocument = Readonly<{
  gameId: number;
  /** The published document, and the one to try. */
  before: ConfigDocument;
  after: ConfigDocument;
  /** The instant to evaluate for. */
  nowMs: number;
  /** True: evaluates also for the instants after `nowMs` at which something of the documents begins or ends. */
  isWithLater?: boolean;
  /** The attributes of rules; those of the service, if left out. */
  attributes?: AttributeRegistry;
}>;

/** One reading of the players, and a report for each instant that they are evaluated for. */
export type Pass = Readonly<{
  columns: FactColumns;
  reports: readonly InstantReport[];
  examine: (facts: PlayerFacts) => void;
}>;

export type InstantReport = Readonly<{ instant: ComingInstant; report: DryRunReport }>;

export type PreparedDryRun = Readonly<{
  now: Pass & Readonly<{ reports: readonly [InstantReport] }>;
  later: readonly Pass[];
  leftOut: ComingInstants['leftOut'];
  /** The keys of the own attributes that the rules use. */
  ownKeys: ReadonlySet<string>;
}>;

/** Decides which instants are evaluated, which facts are read of a player, and how they are evaluated. */
export async function prepareDryRun(
  { gameId, nowMs, attributes, isWithLater = false, ...run }: TriedDocument,
  { models, rates }: { models: ModelsInForce; rates: RateTable | null },
): Promise<PreparedDryRun> {
  const compile = (document: ConfigDocument) =>
    documentWork.run(
      gameId,
      compilationSteps(document, { version: 0, publishedAt: 0 }, undefined, attributes),
    );
  const before = await compile(run.before);
  const after = await compile(run.after);
  const { unchanged, rest } = compareDocuments(before, after);
  const needs = withCurrency(factNeeds([rest, after]), [before, after]);
  const reportAt = (instant: ComingInstant): InstantReport => ({
    instant,
    report: new DryRunReport(before, after, unchanged, instant.atMs),
  });
  const passOf = <Reports extends readonly InstantReport[]>(reports: Reports, atMs: number) => ({
    columns: factColumns(needs, { atMs, nowMs, rates }),
    reports,
    examine: evaluateUnder(rest, after, models, reports),
  });
  const coming = isWithLater ? await instantsOf(gameId, run, nowMs) : NO_INSTANTS;
  return {
    now: passOf([reportAt({ atMs: nowMs, begins: [], ends: [] })] as const, nowMs),
    later: sharedReadings(coming.instants, needs).map((instants) =>
      passOf(instants.map(reportAt), instants[0].atMs),
    ),
    leftOut: coming.leftOut,
    ownKeys: needs.own,
  };
}

const NO_INSTANTS: ComingInstants = { instants: [], leftOut: null };

async function instantsOf(
  gameId: number,
  { before, after }: Pick<TriedDocument, 'before' | 'after'>,
  nowMs: number,
): Promise<ComingInstants> {
  const difference = await documentWork.run(gameId, differenceSteps(before, after));
  // Without a difference, publishing changes nothing at any time.
  if (difference.length === 0) return NO_INSTANTS;
  const changed = new Set(difference.map(({ path }) => path));
  return comingInstants([before, after], nowMs, { changed });
}

type SharedReading = readonly [ComingInstant, ...ComingInstant[]];

/**
 * Instants for which the same facts are read. Sums over days and predictions depend on the day. All other facts are the same at
 * every instant, so that the players are read once.
 */
function sharedReadings(instants: readonly ComingInstant[], needs: FactNeeds): SharedReading[] {
  const dependsOnDay = needs.history || needs.windows.length > 0;
  const readings = new Map<number, [ComingInstant, ...ComingInstant[]]>();
  for (const instant of instants) {
    const day = dependsOnDay ? epochDay(instant.atMs) : 0;
    const reading = readings.get(day);
    if (reading === undefined) readings.set(day, [instant]);
    else reading.push(instant);
  }
  return [...readings.values()];
}

/** Which price a player sees depends on the currency of the player, if SKUs have several. */
function withCurrency(needs: FactNeeds, documents: readonly CompiledDocument[]): FactNeeds {
  if (!documents.some(({ hasCurrencies }) => hasCurrencies)) return needs;
  return { ...needs, profile: new Set([...needs.profile, 'currency', 'paidCurrency']) };
}

function evaluateUnder(
  before: CompiledDocument,
  after: CompiledDocument,
  models: ModelsInForce,
  reports: readonly InstantReport[],
): (facts: PlayerFacts) => void {
  const evaluations = reports.map(({ instant: { atMs }, report }) => {
    const onErrorBefore = (part: string) => report.addError('before', part);
    const onErrorAfter = (part: string) => report.addError('after', part);
    return (facts: PlayerFacts) =>
      report.add(
        facts,
        evaluatePlayer(before, facts, atMs, models, onErrorBefore),
        evaluatePlayer(after, facts, atMs, models, onErrorAfter),
      );
  });
  return (facts) => {
    for (const evaluate of evaluations) evaluate(facts);
  };
}
