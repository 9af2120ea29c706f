import { type DedicatedConnection, withDedicatedConnection } from '../../db/dedicated-connection.js';
import type { Pool } from '../../db/pool.js';
import type { AttributeRegistry } from '../../personalisation/attributes/attribute-registry.js';
import { compilationSteps } from '../../personalisation/compile/compile-document.js';
import type { CompiledDocument } from '../../personalisation/compile/compiled-document.js';
import type { ConfigDocument } from '../../personalisation/document/document.js';
import type { ModelsInForce } from '../../personalisation/predict/models-in-force.js';
import { evaluatePlayer } from '../evaluations/evaluate-player.js';
import { type FactColumns, factColumns, MAX_COLUMNS } from '../evaluations/fact-columns.js';
import { type FactNeeds, factNeeds } from '../evaluations/fact-needs.js';
import {
  beginSnapshot,
  countPlayers,
  listFactRows,
  listPlayerRanges,
  type PlayerRange,
  type Share,
} from '../evaluations/player-queries.js';
import { TimeSlice } from '../evaluations/time-slice.js';
import { documentWork } from '../game-configs/document-work.js';
import { findCurrentModels } from '../predictions/models-at.js';
import { DryRunReport, type Effects } from './dry-run-report.js';
import { compareDocuments } from './unchanged-parts.js';

export type DryRun = Readonly<{
  gameId: number;
  /** The published document, and the one to try. */
  before: ConfigDocument;
  after: ConfigDocument;
  /** The instant to evaluate for. */
  nowMs: number;
  /** How many players to examine at most; by default all of them, or a sample of a very large game. */
  sample?: number | undefined;
  signal?: AbortSignal;
  onProgress?: (progress: DryRunProgress) => void;
  /** Milliseconds since any instant. Tests replace it. */
  stopwatch?: () => number;
  /** The attributes of rules; those of the service, if left out. */
  attributes?: AttributeRegistry;
}>;

export type DryRunProgress = Readonly<{ examined: number; total: number }>;

export type DryRunResult = Readonly<{
  /** All players of the game. */
  players: number;
  examined: number;
  sampled: boolean;
  at: string;
  seconds: number;
}> &
  Effects;

export type DryRunOutcome =
  | Readonly<{ outcome: 'done'; result: DryRunResult }>
  | Readonly<{ outcome: 'interrupted' }>
  /** The rules of both documents use more different facts about a player than can be read at once. */
  | Readonly<{ outcome: 'too_many_facts'; message: string }>;

/** Larger games are sampled. Either way a run takes a minute or two. */
const ALL_UP_TO = 2_000_000;
const DEFAULT_SAMPLE = 500_000;
/** A page and the next one are in memory at a time. */
const PAGE_PLAYERS = 5_000;
const PAGE_VALUES = 500_000;

/**
 * What publishing a document would change. Every player is evaluated under both documents, for the same instant, on the same
 * snapshot of the database and with the prediction models in force. Nothing is written.
 */
export async function dryRun(pool: Pool, run: DryRun): Promise<DryRunOutcome> {
  const began = performance.now();
  const examination = await prepare(run, (await findCurrentModels(pool, run.gameId)).models);
  if (examination.columnCount > MAX_COLUMNS) {
    const message = `The rules of the published and the new document use ${examination.columnCount} different facts about a player; a dry run can read ${MAX_COLUMNS}. Use fewer attributes.`;
    return { outcome: 'too_many_facts', message };
  }
  return withDedicatedConnection(pool, async (connection) => {
    await beginSnapshot(connection);
    const players = await countPlayers(connection, run.gameId);
    const share = { players, examined: Math.min(players, run.sample ?? defaultSample(players)) };
    const report = await examine(connection, run, examination, share);
    if (report === undefined) return { outcome: 'interrupted' };
    const seconds = Math.round(performance.now() - began) / 1000;
    const { examined } = share;
    const result = {
      players,
      examined,
      sampled: examined < players,
      at: new Date(run.nowMs).toISOString(),
      seconds,
      ...report.effects(examined === 0 ? 1 : players / examined),
    };
    return { outcome: 'done', result };
  });
}

function defaultSample(players: number): number {
  return players <= ALL_UP_TO ? players : DEFAULT_SAMPLE;
}

type Examination = Readonly<{
  columns: FactColumns;
  columnCount: number;
  report: DryRunReport;
  evaluate: ReturnType<typeof evaluateUnder>;
}>;

/** Decides which facts are read of a player, and how they are evaluated. */
async function prepare(
  { gameId, nowMs, attributes, ...run }: DryRun,
  models: ModelsInForce,
): Promise<Examination> {
  const compile = (document: ConfigDocument) =>
    documentWork.run(
      gameId,
      compilationSteps(document, { version: 0, publishedAt: 0 }, undefined, attributes),
    );
  const before = await compile(run.before);
  const after = await compile(run.after);
  const { unchanged, rest } = compareDocuments(before, after);
  const columns = factColumns(withCurrency(factNeeds([rest, after]), [before, after]), nowMs);
  const report = new DryRunReport(before, after, unchanged, nowMs);
  return {
    columns,
    columnCount: columns.ofPlayer.length + columns.ofDays.length,
    report,
    evaluate: evaluateUnder(rest, after, { nowMs, models }, report),
  };
}

/** Which price a player sees depends on the currency of the player, if SKUs have several. */
function withCurrency(needs: FactNeeds, documents: readonly CompiledDocument[]): FactNeeds {
  if (!documents.some(({ hasCurrencies }) => hasCurrencies)) return needs;
  return { ...needs, profile: new Set([...needs.profile, 'currency', 'paidCurrency']) };
}

/** Undefined if the run was interrupted. */
async function examine(
  connection: DedicatedConnection,
  { gameId, signal, onProgress, stopwatch = () => performance.now() }: DryRun,
  { columns, columnCount, report, evaluate }: Examination,
  share: Share,
): Promise<DryRunReport | undefined> {
  let examined = 0;
  onProgress?.({ examined, total: share.examined });
  const page = Math.min(PAGE_PLAYERS, Math.ceil(PAGE_VALUES / columnCount));
  const size = Math.ceil((page * share.players) / Math.max(1, share.examined));
  const ranges = share.examined === 0 ? [] : await listPlayerRanges(connection, gameId, size);
  const timeSlice = new TimeSlice(stopwatch);
  for await (const rows of pagesOf(connection, gameId, columns, ranges, share)) {
    for (const row of rows) {
      evaluate(columns.toFacts(row));
      examined++;
      if (!timeSlice.isOver) continue;
      await timeSlice.giveWay();
      if (signal?.aborted) return undefined;
      onProgress?.({ examined, total: share.examined });
    }
  }
  if (signal?.aborted) return undefined;
  onProgress?.({ examined, total: share.examined });
  return report;
}

function evaluateUnder(
  before: CompiledDocument,
  after: CompiledDocument,
  { nowMs, models }: { nowMs: number; models: ModelsInForce },
  report: DryRunReport,
) {
  const onErrorBefore = (part: string) => report.addError('before', part);
  const onErrorAfter = (part: string) => report.addError('after', part);
  return (facts: ReturnType<FactColumns['toFacts']>) =>
    report.add(
      facts,
      evaluatePlayer(before, facts, nowMs, models, onErrorBefore),
      evaluatePlayer(after, facts, nowMs, models, onErrorAfter),
    );
}

/** Reads the next page while a page is being evaluated. */
async function* pagesOf(
  connection: DedicatedConnection,
  gameId: number,
  columns: FactColumns,
  ranges: readonly PlayerRange[],
  share: Share,
): AsyncGenerator<unknown[][]> {
  const read = (range: PlayerRange | undefined) => {
    const page = range && listFactRows(connection, gameId, columns, range, share);
    // If the run ends before, the result of this read is not awaited.
    page?.catch(() => {});
    return page;
  };
  let next = read(ranges[0]);
  for (let index = 1; next !== undefined; index++) {
    const page = await next;
    next = read(ranges[index]);
    yield page;
  }
}
