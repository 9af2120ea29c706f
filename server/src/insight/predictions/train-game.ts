import { lockGame } from '../../core/configs/config-queries.js';
import {
  findCurrentState,
  findModel,
  findNewestModelVersion,
  insertModel,
  insertNextState,
  type PredictionState,
} from '../../core/predictions/model-queries.js';
import type { TrainingReport } from '../../core/predictions/training-report.js';
import type { Artefact } from '../../decide/predict/artefact.js';
import { readArtefact } from '../../decide/predict/read-artefact.js';
import { type TrainingResult, train } from '../../decide/predict/train.js';
import { type Actor, insertAuditEntry } from '../../platform/admin-api/audit-log.js';
import {
  type DedicatedConnection,
  tryAdvisoryLock,
  withDedicatedConnection,
} from '../../platform/db/dedicated-connection.js';
import { type Client, type Pool, transaction } from '../../platform/db/pool.js';
import { type Clock, clockFrom } from '../../platform/lib/clock.js';
import { DAY_MS, dateOf } from '../../platform/lib/day.js';
import { dataProgress } from './data-progress.js';
import { pruneModels } from './prune-models.js';
import { readTrainingData, type TrainingRead } from './training-data-reader.js';
import { beginTrainingSession, type Sample } from './training-queries.js';
import { noteTrained } from './work-queries.js';

export type TrainOptions = Readonly<{
  gameId: number;
  actor: Actor;
  signal?: AbortSignal | undefined;
  /** Reports how many players have been read, of how many. The fit that follows reports nothing. */
  onProgress?: ((progress: TrainProgress) => void) | undefined;
  maxPlayers?: number | undefined;
  /** Does not store a training that found too little data for a model, if the former training did so, too. */
  dropsUnchanged?: boolean;
}>;

export type TrainProgress = Readonly<{ phase: 'reading' | 'fitting'; done: number; total: number }>;

export type TrainOutcome =
  | Readonly<{
      outcome: 'trained';
      version: number;
      isPromoted: boolean;
      artefact: Artefact;
      report: TrainingReport;
      sample: Sample;
      readMs: number;
      fitMs: number;
    }>
  /** There is too little data for a model, and no more than at the last training. */
  | Readonly<{ outcome: 'unchanged' }>
  /** Another training of this game is running. */
  | Readonly<{ outcome: 'busy' }>;

/**
 * Trains the models of a game on all days that are over, stores the artefact, and puts it in force if it is better than the one in
 * force. All nodes together run one training of a game at a time.
 */
export async function trainGame(pool: Pool, options: TrainOptions): Promise<TrainOutcome> {
  const clock = clockFrom(options.actor.nowMs);
  return withDedicatedConnection(pool, async (connection) => {
    if (!(await tryAdvisoryLock(connection, 'savepoint training', options.gameId)))
      return { outcome: 'busy' };
    await beginTrainingSession(connection);
    return trainAlone(pool, connection, clock, options);
  });
}

async function trainAlone(
  pool: Pool,
  connection: DedicatedConnection,
  clock: Clock,
  { gameId, actor, signal, onProgress, maxPlayers, dropsUnchanged = false }: TrainOptions,
): Promise<TrainOutcome> {
  const started = performance.now();
  const day = Math.floor(actor.nowMs / DAY_MS) - 1;
  const read = await readTrainingData(connection, {
    gameId,
    day,
    signal,
    maxPlayers,
    onProgress: (done, total) => onProgress?.({ phase: 'reading', done, total }),
  });
  signal?.throwIfAborted();
  onProgress?.({ phase: 'fitting', done: 0, total: 1 });
  const readAt = performance.now();
  const present = await findPresent(pool, gameId);
  // Only trainings write models, and the lock makes this the only one.
  const version = (await findNewestModelVersion(connection, gameId)) + 1;
  const result = train(read.data, version, present?.artefact ?? null);
  refuseUnreadable(result.artefact);
  const fitMs = performance.now() - readAt;
  signal?.throwIfAborted();
  const report = { models: result.report, progress: dataProgress(read.data), cells: read.cells };
  const durationMs = Math.round(performance.now() - started);
  if (dropsUnchanged && !result.isPromoted && (await isRepetition(pool, gameId, version - 1, report))) {
    await transaction(pool, (client) => noteTrained(client, gameId, dateOf(day)));
    return { outcome: 'unchanged' };
  }
  const isPromoted = await transaction(pool, (client) =>
    store(client, { gameId, actor, clock, version, read, result, present, report, durationMs }),
  );
  return {
    outcome: 'trained',
    version,
    isPromoted,
    artefact: result.artefact,
    report,
    sample: read.sample,
    readMs: Math.round(readAt - started),
    fitMs: Math.round(fitMs),
  };
}

/** Refuses an artefact that cannot be read back, for example because JSON has no NaN: players would get averages. */
function refuseUnreadable(artefact: Artefact): void {
  const reading = readArtefact(JSON.parse(JSON.stringify(artefact)));
  if (!reading.readable) throw new Error(`training made an artefact that cannot be used: ${reading.problem}`);
}

/** Whether there is no model, for the same reasons as in the former training. */
async function isRepetition(
  pool: Pool,
  gameId: number,
  newest: number,
  report: TrainingReport,
): Promise<boolean> {
  if (report.models.some(({ outcome }) => outcome !== 'cold_start')) return false;
  const before = (await findModel(pool, gameId, newest))?.report;
  const reasons = ({ models, progress }: TrainingReport) =>
    JSON.stringify([
      models.map(({ outcome, reason }) => [outcome, reason]),
      progress.map(({ have }) => Math.floor(have)),
    ]);
  return before !== undefined && reasons(before) === reasons(report);
}

type Present = { state: PredictionState; artefact: Artefact | null };

/** The artefact in force. One that this build cannot read is treated as missing, so any new one replaces it. */
async function findPresent(pool: Pool, gameId: number): Promise<Present | undefined> {
  const state = await findCurrentState(pool, gameId);
  if (state === undefined) return undefined;
  const model = await findModel(pool, gameId, state.modelVersion);
  const reading = readArtefact(model?.artefact);
  return { state, artefact: reading.readable ? reading.artefact : null };
}

type Finished = Readonly<{
  gameId: number;
  actor: Actor;
  clock: Clock;
  version: number;
  read: TrainingRead;
  result: TrainingResult;
  present: Present | undefined;
  report: TrainingReport;
  durationMs: number;
}>;

/** Stores the training. Returns whether it is in force now. */
async function store(
  client: Client,
  { gameId, actor: asked, clock, version, read, result, present, report, durationMs }: Finished,
): Promise<boolean> {
  const { tenantId } = await lockGame(client, gameId);
  // Reading and fitting took minutes: the artefact is in force from now on, not from when the training began.
  const actor = { ...asked, nowMs: clock.now() };
  const before = await findCurrentState(client, gameId);
  // After a roll-back meanwhile, the artefact was compared with one that is no longer in force.
  const isPromoted = result.isPromoted && before?.modelVersion === present?.state.modelVersion;
  await insertModel(client, {
    gameId,
    version,
    durationMs,
    report,
    ...read.sample,
    trainedAt: actor.nowMs,
    author: actor.name,
    trainedDay: dateOf(read.data.day),
    isPromoted,
    artefact: result.artefact,
  });
  if (isPromoted) {
    await insertNextState(client, gameId, {
      since: actor.nowMs,
      author: actor.name,
      cause: 'train',
      modelVersion: version,
      // A new model has to meet a week first: grading says whether it is right.
      distrusted: before?.distrusted ?? [],
    });
  }
  await noteTrained(client, gameId, dateOf(read.data.day));
  await pruneModels(client, gameId, actor.nowMs);
  await insertAuditEntry(client, actor, {
    tenantId,
    gameId,
    action: 'model.train',
    target: `model ${version}`,
    before: before === undefined ? null : { inForce: before.modelVersion },
    after: {
      inForce: isPromoted ? version : (before?.modelVersion ?? null),
      models: Object.fromEntries(
        report.models.map(({ model, outcome, reason }) => [model, { outcome, reason }]),
      ),
    },
  });
  return isPromoted;
}
