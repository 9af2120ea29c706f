import { findCurrentModels } from '../../core/predictions/models-at.js';
import { unreadExperiments, unreadSentence } from '../../decide/compile/experiment-readers.js';
import { toTime } from '../../platform/admin-api/admin-responses.js';
import {
  cancelledBy,
  type DedicatedConnection,
  withDedicatedConnection,
} from '../../platform/db/dedicated-connection.js';
import type { Pool } from '../../platform/db/pool.js';
import { findRateTable } from '../../studio/money/rate-queries.js';
import { MAX_COLUMNS } from '../evaluations/fact-columns.js';
import { beginSnapshot, countPlayers, type Share } from '../evaluations/player-queries.js';
import {
  boundNotes,
  findMissingAttributes,
  type MissingAttributes,
} from '../own-attributes/missing-attributes.js';
import type { Effects } from './dry-run-report.js';
import { columnCount, examinePlayers } from './examine-players.js';
import { type Pass, prepareDryRun, type TriedDocument } from './prepare-dry-run.js';

export type DryRun = TriedDocument &
  Readonly<{
    /** How many players to examine at most; by default all of them, or a sample of a very large game. */
    sample?: number | undefined;
    signal?: AbortSignal;
    onProgress?: (progress: DryRunProgress) => void;
    /** Of players whose own attributes have to be worked out. Tests replace it. */
    maxFoldedEvents?: number;
    /** Players from whom the number of these events is estimated. Tests replace it. */
    estimateSample?: number;
    /** Milliseconds since any instant. Tests replace it. */
    stopwatch?: () => number;
  }>;

/** Players are counted once, however many instants they are evaluated for. */
export type DryRunProgress = Readonly<{ examined: number; total: number }>;

export type DryRunResult = Readonly<{
  /** All players of the game. */
  players: number;
  examined: number;
  sampled: boolean;
  at: string;
  seconds: number;
  /** In order of time. */
  later: readonly LaterEffects[];
  /** Instants that were not evaluated because there are too many. */
  leftOut: Readonly<{ instants: number; firstAt: string }> | null;
  /** Sentences about bounds that were reached, and about experiments that nothing reads. */
  notes: readonly string[];
}> &
  Effects;

/** The effects at a later instant, for the players as they are now. Entries that no player enters or leaves are left out. */
export type LaterEffects = Readonly<{
  at: string;
  /** What begins and ends then, such as `offer:weekend`. */
  begins: readonly string[];
  ends: readonly string[];
  examined: number;
  sampled: boolean;
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
/** Decisions for all later instants together. So these take no longer than those for now. */
const LATER_DECISIONS = 2_000_000;
/** Events from which missing own attributes are worked out: a minute or so. The later instants together have as many again. */
const MAX_FOLDED_EVENTS = 10_000_000;

/**
 * What publishing a document would change. Every player is evaluated under both documents, for the same instants, on the same
 * snapshot of the database and with the prediction models in force. Nothing is written.
 */
export async function dryRun(pool: Pool, run: DryRun): Promise<DryRunOutcome> {
  try {
    return await runDry(pool, run);
  } catch (error) {
    if (run.signal?.aborted) return { outcome: 'interrupted' };
    throw error;
  }
}

async function runDry(pool: Pool, run: DryRun): Promise<DryRunOutcome> {
  const began = performance.now();
  const { models } = await findCurrentModels(pool, run.gameId);
  const rates = await findRateTable(pool, run.gameId);
  const { now, later, leftOut, ownKeys } = await prepareDryRun(run, { models, rates });
  if (columnCount(now.columns) > MAX_COLUMNS) {
    const message = `The rules of the published and the new document use ${columnCount(now.columns)} different facts about a player; a dry run can read ${MAX_COLUMNS}. Use fewer attributes.`;
    return { outcome: 'too_many_facts', message };
  }
  return withDedicatedConnection(pool, (connection) =>
    cancelledBy(pool, connection, run.signal, async () => {
      await beginSnapshot(connection);
      const players = await countPlayers(connection, run.gameId);
      const asked = Math.min(players, run.sample ?? defaultSample(players));
      const missing = await findMissingAttributes(connection, run.gameId, [run.before, run.after], ownKeys);
      const maxEvents = run.maxFoldedEvents ?? MAX_FOLDED_EVENTS;
      const sampleSize = run.estimateSample;
      const events = (await missing?.estimateEvents(connection, run.gameId, { players, sampleSize })) ?? 0;
      const within = (max: number) =>
        events <= max ? players : Math.max(1, Math.floor((players * max) / events));
      const examined = Math.min(asked, within(maxEvents));
      const instants = later.flatMap((pass) => pass.reports);
      const examinedLater = Math.min(
        examined,
        Math.ceil(LATER_DECISIONS / Math.max(1, instants.length)),
        within(maxEvents / Math.max(1, later.length)),
      );
      const passes = [
        { ...now, share: { players, examined } },
        ...later.map((pass) => ({ ...pass, share: { players, examined: examinedLater } })),
      ];
      if (!(await examineAll(connection, run, passes, missing))) return { outcome: 'interrupted' };
      const [atNow] = now.reports;
      return {
        outcome: 'done',
        result: {
          players,
          examined,
          sampled: examined < players,
          at: toTime(run.nowMs),
          seconds: Math.round(performance.now() - began) / 1000,
          ...atNow.report.effects(scaleOf(players, examined)),
          later: instants.map(({ instant: { atMs, begins, ends }, report }) => ({
            at: toTime(atMs),
            begins,
            ends,
            examined: examinedLater,
            sampled: examinedLater < players,
            ...report.changes(scaleOf(players, examinedLater)),
          })),
          leftOut: leftOut && { instants: leftOut.instants, firstAt: toTime(leftOut.firstAtMs) },
          notes: [
            ...(missing === null ? [] : boundNotes(missing, { examined, asked, maxEvents })),
            ...unreadExperiments(run.after).map((id) => unreadSentence(id, { subject: `experiment ${id}` })),
          ],
        },
      };
    }),
  );
}

function defaultSample(players: number): number {
  return players <= ALL_UP_TO ? players : DEFAULT_SAMPLE;
}

/** How many players each examined player stands for. */
function scaleOf(players: number, examined: number): number {
  return examined === 0 ? 1 : players / examined;
}

/** False if the run was interrupted. */
async function examineAll(
  connection: DedicatedConnection,
  { gameId, signal, onProgress, stopwatch = () => performance.now() }: DryRun,
  passes: readonly (Pass & { share: Share })[],
  missing: MissingAttributes | null,
): Promise<boolean> {
  const all = passes.reduce((sum, { share }) => sum + share.examined, 0);
  const total = passes[0]?.share.examined ?? 0;
  let before = 0;
  for (const { columns, examine, share } of passes) {
    const isDone = await examinePlayers(connection, {
      gameId,
      columns,
      share,
      examine,
      missing,
      signal,
      stopwatch,
      onProgress: (examined) =>
        onProgress?.({ examined: all === 0 ? 0 : Math.round(((before + examined) / all) * total), total }),
    });
    if (!isDone) return false;
    before += share.examined;
  }
  return true;
}
