import { withOwnConnection } from '../../db/own-connection.js';
import { type Pool, transaction } from '../../db/pool.js';
import { type Clock, clockFrom } from '../../lib/clock.js';
import { DAY_MS, dateOf } from '../../lib/day.js';
import { type Artefact, MODEL_NAMES, type ModelName } from '../../personalisation/predict/artefact.js';
import { gradeModel, type Health, healthAfter } from '../../personalisation/predict/grade.js';
import { readArtefact } from '../../personalisation/predict/read-artefact.js';
import type { OriginCells } from '../../personalisation/predict/training-data.js';
import { lockGame } from '../game-configs/config-queries.js';
import { type Actor, insertAuditEntry } from '../studios/audit-log.js';
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

/** All models are graded on the week after a day. */
const HORIZON_DAYS = 7;

export type GradeOutcome = Readonly<{
  /** The last day of the week that was graded. */
  day: string;
  grades: readonly Grade[];
  lost: readonly ModelName[];
  regained: readonly ModelName[];
}>;

/**
 * Compares what was told a week ago with what happened since, and takes trust from models that were wrong, or gives it back. What
 * players were told is graded with the artefact that was in force then. The model in force now may be newer: it is graded with
 * what it would have said, which is a fair test, as no model is fitted with the week that it is tested on. `undefined` where
 * there is no model yet.
 */
export async function gradeGame(
  pool: Pool,
  { gameId, actor }: { gameId: number; actor: Actor },
): Promise<GradeOutcome | undefined> {
  const clock = clockFrom(actor.nowMs);
  const current = await findCurrentState(pool, gameId);
  if (current === undefined) return undefined;
  const day = Math.floor(actor.nowMs / DAY_MS) - 1;
  const originDay = day - HORIZON_DAYS;
  const now = await findArtefact(pool, gameId, current.modelVersion);
  const toldState = await findStateAt(pool, gameId, (originDay + 1) * DAY_MS);
  const told =
    toldState === undefined || toldState.modelVersion === current.modelVersion
      ? undefined
      : await findArtefact(pool, gameId, toldState.modelVersion);
  if (!hasModel(now) && !hasModel(told)) return undefined;
  const origin = await readGradedCells(pool, gameId, originDay, now?.currency ?? null);

  const at = { day: dateOf(day), gradedAt: actor.nowMs };
  const wasTold = toldState?.modelVersion === current.modelVersion;
  const grades = [
    ...gradesOf(now, current.modelVersion, origin, current.distrusted, { ...at, wasTold }),
    ...gradesOf(told, toldState?.modelVersion ?? 0, origin, toldState?.distrusted ?? [], {
      ...at,
      wasTold: true,
    }),
  ];
  const health = new Map(
    grades
      .filter((grade) => grade.modelVersion === current.modelVersion)
      .map((grade) => [grade.model, grade.health]),
  );
  const distrusted = MODEL_NAMES.filter((name) =>
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

async function findArtefact(pool: Pool, gameId: number, version: number): Promise<Artefact | undefined> {
  const reading = readArtefact((await findModel(pool, gameId, version))?.artefact);
  return reading.readable ? reading.artefact : undefined;
}

function hasModel(artefact: Artefact | undefined): boolean {
  return artefact !== undefined && MODEL_NAMES.some((name) => artefact.models[name].state === 'ready');
}

async function readGradedCells(
  pool: Pool,
  gameId: number,
  originDay: number,
  currency: string | null,
): Promise<OriginCells> {
  return withOwnConnection(pool, async (connection) => {
    await beginTrainingSession(connection);
    await createSample(connection, gameId, MAX_PLAYERS);
    return readOrigin(connection, originDay, currency);
  });
}

function gradesOf(
  artefact: Artefact | undefined,
  modelVersion: number,
  origin: OriginCells,
  distrusted: readonly ModelName[],
  at: Pick<Grade, 'day' | 'gradedAt' | 'wasTold'>,
): Grade[] {
  if (artefact === undefined) return [];
  return MODEL_NAMES.flatMap((model) => {
    const metrics = gradeModel(artefact, model, origin);
    if (metrics === undefined) return [];
    const before: Health = distrusted.includes(model) ? 'red' : 'green';
    return [{ ...at, model, modelVersion, metrics, health: healthAfter(before, metrics) }];
  });
}

type Graded = Readonly<{
  gameId: number;
  actor: Actor;
  clock: Clock;
  current: PredictionState;
  grades: readonly Grade[];
  distrusted: ModelName[];
}>;

/** Whether trust has changed. Not if another model has been put in force meanwhile: that one was not graded. */
async function store(pool: Pool, graded: Graded): Promise<boolean> {
  const { gameId, clock, current, grades, distrusted } = graded;
  return transaction(pool, async (client) => {
    const { tenantId } = await lockGame(client, gameId);
    // Reading took a while: trust is lost or regained now, and not when it began.
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
