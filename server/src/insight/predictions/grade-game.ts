import { isDeepStrictEqual } from 'node:util';
import { lockGame } from '../../core/configs/config-queries.js';
import {
  findCurrentState,
  findModel,
  findStateAt,
  insertNextState,
  type PredictionState,
} from '../../core/predictions/model-queries.js';
import { type Artefact, type GradedName, isModelName, modelOf } from '../../decide/predict/artefact.js';
import { distrustedAfterGrading } from '../../decide/predict/distrust.js';
import {
  gradePredictions,
  HORIZONS,
  type PredictionGrade,
  WEEK_DAYS,
} from '../../decide/predict/grade-predictions.js';
import { gradeWeekOfRevenue, type TotalMetrics } from '../../decide/predict/grade-totals.js';
import { readArtefact } from '../../decide/predict/read-artefact.js';
import type { OriginCells } from '../../decide/predict/training-data.js';
import { type Actor, insertAuditEntry } from '../../platform/admin-api/audit-log.js';
import { withDedicatedConnection } from '../../platform/db/dedicated-connection.js';
import { type Pool, transaction } from '../../platform/db/pool.js';
import { type Clock, clockFrom } from '../../platform/lib/clock.js';
import { DAY_MS, dateOf } from '../../platform/lib/day.js';
import { type Grade, insertGrade } from './grade-queries.js';
import { pruneModels } from './prune-models.js';
import { MAX_PLAYERS, readOrigins } from './training-data-reader.js';
import { beginTrainingSession, createSample } from './training-queries.js';

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
  const { grades, weekAgo } = await gradeRounds(pool, gameId, rounds, { current, artefact: now, at });
  const ofCurrent = grades.filter(({ modelVersion }) => modelVersion === current.modelVersion);
  const distrusted = distrustedAfterGrading(current.distrusted, ofCurrent, weekAgo);
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

/** `weekAgo`: what is not trusted, and what there is no model of any more, by the models that were in force a week ago. */
type GradedRounds = Readonly<{ grades: readonly Grade[]; weekAgo: readonly PredictionGrade[] }>;

/** One horizon after the other: the cells of only one are held at a time. */
async function gradeRounds(
  pool: Pool,
  gameId: number,
  rounds: readonly Round[],
  { current, artefact, at }: Present,
): Promise<GradedRounds> {
  return withDedicatedConnection(pool, async (connection) => {
    await beginTrainingSession(connection);
    await createSample(connection, gameId, MAX_PLAYERS);
    const currency = artefact?.currency ?? null;
    const { distrusted } = current;
    const former = artefactOfWeekAgo(rounds, artefact);
    const grades: Grade[] = [];
    const weekAgo: PredictionGrade[] = [];
    let week: TotalMetrics | undefined;
    let formerWeek: TotalMetrics | undefined;
    for (const { days, names, originDay, told } of rounds) {
      // A model that is not trusted has to be right about two weeks.
      const originDays = days === WEEK_DAYS ? [originDay, originDay - days] : [originDay];
      const [origin, previous] = await readOrigins(connection, originDays, currency);
      if (origin === undefined) continue;
      if (days === WEEK_DAYS) {
        week = artefact && gradeWeekOfRevenue(artefact, origin);
        formerWeek = former && gradeWeekOfRevenue(former, origin);
      }
      if (former) {
        const again = names.filter((name) => distrusted.includes(name) || !hasAny(artefact, [name]));
        weekAgo.push(...gradePredictions(former, again, origin, { distrusted, previous, week: formerWeek }));
      }
      const wasTold = (name: GradedName) => isToldModel(told, current, artefact, name);
      grades.push(...gradesOf(artefact, current, names, origin, { ...at, wasTold, previous, week }));
      if (told === undefined) continue;
      // Amounts in another currency cannot be compared.
      const comparable = told.artefact?.currency === currency ? names : names.filter(isModelName);
      const replaced = comparable.filter((name) => !wasTold(name));
      grades.push(
        ...gradesOf(told.artefact, told.state, replaced, origin, { ...at, wasTold: () => true, previous }),
      );
    }
    return { grades, weekAgo };
  });
}

/** Undefined if there was none, or if its amounts are in another currency. */
function artefactOfWeekAgo(rounds: readonly Round[], current: Artefact | undefined): Artefact | undefined {
  const told = rounds.find(({ days }) => days === WEEK_DAYS)?.told;
  const artefact = told && (told.artefact ?? current);
  return artefact?.currency === current?.currency ? artefact : undefined;
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
    previous: OriginCells | undefined;
    week?: TotalMetrics | undefined;
  }>;

function gradesOf(
  artefact: Artefact | undefined,
  { modelVersion, distrusted }: PredictionState,
  names: readonly GradedName[],
  origin: OriginCells,
  { wasTold, previous, week, ...at }: GradedAt,
): Grade[] {
  if (artefact === undefined) return [];
  return gradePredictions(artefact, names, origin, { distrusted, previous, week }).map((graded) => ({
    ...at,
    ...graded,
    wasTold: wasTold(graded.model),
    modelVersion,
  }));
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
