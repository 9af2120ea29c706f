import { isDeepStrictEqual } from 'node:util';
import { type Actor, insertAuditEntry } from '../../admin/audit-log.js';
import { withDedicatedConnection } from '../../db/dedicated-connection.js';
import { type Pool, transaction } from '../../db/pool.js';
import { type Clock, clockFrom } from '../../lib/clock.js';
import { DAY_MS, dateOf } from '../../lib/day.js';
import {
  type Artefact,
  GRADED_NAMES,
  type GradedName,
  MODEL_NAMES,
  type ModelName,
  modelOf,
} from '../../personalisation/predict/artefact.js';
import { gradeModel, type Health, healthAfter } from '../../personalisation/predict/grade.js';
import {
  gradeTotal,
  gradeWeekOfRevenue,
  type TotalMetrics,
  totalHealthAfter,
} from '../../personalisation/predict/grade-totals.js';
import { readArtefact } from '../../personalisation/predict/read-artefact.js';
import type { OriginCells } from '../../personalisation/predict/training-data.js';
import { lockGame } from '../game-configs/config-queries.js';
import { type Grade, insertGrade } from './grade-queries.js';
import {
  findCurrentState,
  findModel,
  findStateAt,
  insertNextState,
  type PredictionState,
} from './model-queries.js';
import { pruneModels } from './prune-models.js';
import { MAX_PLAYERS, readOrigin } from './training-data-reader.js';
import { beginTrainingSession, createSample } from './training-queries.js';

const WEEK_DAYS = 7;
/** These are also compared with each week: the first days after a collapse of prices are a small part of 28 or 90 days. */
const PAYERS_REVENUE: readonly GradedName[] = ['purchases.revenue', 'purchases.revenue90'];

/** A prediction for this many days is graded when the days are over. The week comes first. */
const HORIZONS: readonly Readonly<{ days: number; names: readonly GradedName[] }>[] = [
  { days: WEEK_DAYS, names: MODEL_NAMES },
  {
    days: 28,
    names: ['purchases.purchases', 'purchases.revenue', 'conversion.purchases', 'conversion.revenue'],
  },
  { days: 90, names: ['purchases.revenue90', 'conversion.revenue90'] },
];

export type GradeOutcome = Readonly<{
  /** The last day of the graded horizon. */
  day: string;
  grades: readonly Grade[];
  lost: readonly GradedName[];
  regained: readonly GradedName[];
}>;

/**
 * Compares the predictions of one horizon ago with what happened since. A model that was wrong loses trust, and a model that is
 * right again regains it. The predictions that players got are graded with the artefact that was in force then. If the model in
 * force now is newer, its predictions are graded, too. For a week that is a fair test, because no model is fitted with the week that
 * it is tested on. A new model has seen a part of a longer horizon, and its totals were fitted to the last horizon that was over: it
 * is trusted if it has learnt what its predecessor did not know. Undefined if there is no model yet.
 */
export async function gradeGame(
  pool: Pool,
  { gameId, actor }: { gameId: number; actor: Actor },
): Promise<GradeOutcome | undefined> {
  const clock = clockFrom(actor.nowMs);
  const current = await findCurrentState(pool, gameId);
  if (current === undefined) return undefined;
  const day = Math.floor(actor.nowMs / DAY_MS) - 1;
  const now = await findArtefact(pool, gameId, current.modelVersion);
  const rounds: Round[] = [];
  for (const horizon of HORIZONS) {
    const originDay = day - horizon.days;
    const told = await findTold(pool, gameId, originDay, current);
    if (hasAny(now, horizon.names) || hasAny(told?.artefact, horizon.names)) {
      rounds.push({ ...horizon, originDay, told });
    }
  }
  if (rounds.length === 0) return undefined;

  const at = { day: dateOf(day), gradedAt: actor.nowMs };
  const grades = await gradeRounds(pool, gameId, rounds, { current, artefact: now, at });
  const health = new Map(
    grades
      .filter((grade) => grade.modelVersion === current.modelVersion)
      .map((grade) => [grade.model, grade.health]),
  );
  const distrusted = GRADED_NAMES.filter((name) =>
    health.has(name) ? health.get(name) === 'red' : current.distrusted.includes(name),
  );
  const changed = await store(pool, { gameId, actor, clock, current, grades, distrusted });
  return {
    day: at.day,
    grades,
    lost: changed ? distrusted.filter((name) => !current.distrusted.includes(name)) : [],
    regained: changed ? current.distrusted.filter((name) => !distrusted.includes(name)) : [],
  };
}

/** What was in force at the end of a day; undefined if it was nothing. The artefact is left out if it is in force now. */
type Told = Readonly<{ state: PredictionState; artefact: Artefact | undefined }>;

type Round = (typeof HORIZONS)[number] & Readonly<{ originDay: number; told: Told | undefined }>;

async function findTold(
  pool: Pool,
  gameId: number,
  originDay: number,
  current: PredictionState,
): Promise<Told | undefined> {
  const state = await findStateAt(pool, gameId, (originDay + 1) * DAY_MS);
  if (state === undefined) return undefined;
  const isSame = state.modelVersion === current.modelVersion;
  return { state, artefact: isSame ? undefined : await findArtefact(pool, gameId, state.modelVersion) };
}

async function findArtefact(pool: Pool, gameId: number, version: number): Promise<Artefact | undefined> {
  const reading = readArtefact((await findModel(pool, gameId, version))?.artefact);
  return reading.readable ? reading.artefact : undefined;
}

function hasAny(artefact: Artefact | undefined, names: readonly GradedName[]): boolean {
  return artefact !== undefined && names.some((name) => artefact.models[modelOf(name)].state === 'ready');
}

type Present = Readonly<{
  current: PredictionState;
  artefact: Artefact | undefined;
  at: Pick<Grade, 'day' | 'gradedAt'>;
}>;

/** One horizon after the other: the cells of only one are held at a time. */
async function gradeRounds(
  pool: Pool,
  gameId: number,
  rounds: readonly Round[],
  { current, artefact, at }: Present,
): Promise<Grade[]> {
  return withDedicatedConnection(pool, async (connection) => {
    await beginTrainingSession(connection);
    await createSample(connection, gameId, MAX_PLAYERS);
    const currency = artefact?.currency ?? null;
    const grades: Grade[] = [];
    let week: TotalMetrics | undefined;
    for (const { days, names, originDay, told } of rounds) {
      const origin = await readOrigin(connection, originDay, currency);
      if (days === WEEK_DAYS) week = artefact && gradeWeekOfRevenue(artefact, origin);
      const wasTold = (name: GradedName) => isToldModel(told, current, artefact, name);
      grades.push(...gradesOf(artefact, current, names, origin, { ...at, wasTold, week }));
      if (told === undefined) continue;
      // Amounts in another currency cannot be compared.
      const comparable = told.artefact?.currency === currency ? names : names.filter(isModelName);
      const replaced = comparable.filter((name) => !wasTold(name));
      grades.push(...gradesOf(told.artefact, told.state, replaced, origin, { ...at, wasTold: () => true }));
    }
    return grades;
  });
}

/** Whether players got the predictions of this very model: most trainings keep a model, and renew only the averages. */
function isToldModel(
  told: Told | undefined,
  { modelVersion }: PredictionState,
  now: Artefact | undefined,
  name: GradedName,
): boolean {
  if (told?.state.modelVersion === modelVersion) return true;
  if (told?.artefact === undefined || now === undefined || told.artefact.currency !== now.currency)
    return false;
  return isDeepStrictEqual(told.artefact.models[modelOf(name)], now.models[modelOf(name)]);
}

type GradedAt = Pick<Grade, 'day' | 'gradedAt'> &
  Readonly<{
    wasTold: (name: GradedName) => boolean;
    /** What the model says of the revenue of the last week, and what it was. */
    week?: TotalMetrics | undefined;
  }>;

function gradesOf(
  artefact: Artefact | undefined,
  { modelVersion, distrusted }: PredictionState,
  names: readonly GradedName[],
  origin: OriginCells,
  { wasTold, week, ...at }: GradedAt,
): Grade[] {
  if (artefact === undefined) return [];
  return names.flatMap((name): Grade[] => {
    const before: Health = distrusted.includes(name) ? 'red' : 'green';
    const graded = gradeOne(artefact, name, origin, before, week);
    return graded === undefined
      ? []
      : [{ ...at, ...graded, wasTold: wasTold(name), model: name, modelVersion }];
  });
}

function gradeOne(
  artefact: Artefact,
  name: GradedName,
  origin: OriginCells,
  before: Health,
  week: TotalMetrics | undefined,
): Pick<Grade, 'metrics' | 'health'> | undefined {
  if (isModelName(name)) {
    const metrics = gradeModel(artefact, name, origin);
    return metrics && { metrics, health: healthAfter(before, metrics) };
  }
  const total = gradeTotal(artefact, name, origin);
  if (week === undefined || !PAYERS_REVENUE.includes(name)) {
    return total && { metrics: total, health: totalHealthAfter(before, total) };
  }
  // A young game has no 90 days that are over, but has weeks.
  const metrics = { ...(total ?? week), week: { ...week, deciles: [] } };
  const isRed = [total, week].some((each) => each && totalHealthAfter(before, each) === 'red');
  return { metrics, health: isRed ? 'red' : 'green' };
}

function isModelName(name: GradedName): name is ModelName {
  return MODEL_NAMES.includes(name as ModelName);
}

type Graded = Readonly<{
  gameId: number;
  actor: Actor;
  clock: Clock;
  current: PredictionState;
  grades: readonly Grade[];
  distrusted: GradedName[];
}>;

/** Whether trust has changed. Changes nothing if another model was put in force meanwhile: that model was not graded. */
async function store(pool: Pool, graded: Graded): Promise<boolean> {
  const { gameId, clock, current, grades, distrusted } = graded;
  return transaction(pool, async (client) => {
    const { tenantId } = await lockGame(client, gameId);
    // Reading took a while: trust changes now, not when the reading began.
    const actor = { ...graded.actor, nowMs: clock.now() };
    for (const grade of grades) await insertGrade(client, gameId, grade);
    await pruneModels(client, gameId, actor.nowMs);
    const latest = await findCurrentState(client, gameId);
    const isSame = distrusted.join() === current.distrusted.join();
    if (isSame || latest?.version !== current.version) return false;
    await insertNextState(client, gameId, {
      since: actor.nowMs,
      author: actor.name,
      cause: 'grade',
      modelVersion: current.modelVersion,
      distrusted,
    });
    await insertAuditEntry(client, actor, {
      tenantId,
      gameId,
      action: 'model.grade',
      target: `model ${current.modelVersion}`,
      before: { distrusted: current.distrusted },
      after: { distrusted },
    });
    return true;
  });
}
