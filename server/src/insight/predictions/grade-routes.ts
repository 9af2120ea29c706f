import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { GRADED_NAMES, type GradedName } from '../../decide/predict/artefact.js';
import {
  cursorInvalid,
  cursorOf,
  cursorTime,
  cutPage,
  pageParameters,
} from '../../platform/admin-api/page-cursor.js';
import { DAY_MS, utcDay } from '../../platform/lib/day.js';
import { MAX_INTEGER } from '../../platform/lib/max-integer.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../studio/admin-api/admin-routes.js';
import { type Grade, type GradePage, listGrades } from './grade-queries.js';
import { GradesResponse } from './model-schemas.js';

/** Ten years: all that there is. */
const MAX_DAYS = 3_660;
const DEFAULT_DAYS = 30;
/** A grade has about a kilobyte. A month of grades has fewer. */
const LIMITS = { max: 1_000, fallback: 1_000 };

/** What became of predictions. */
export function gradeRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Predictions');

  routes.get('/admin/v1/games/:game/prediction-grades', {
    role: 'viewer',
    operationId: 'listPredictionGrades',
    summary: 'Predicted and observed outcomes, day by day',
    querystring: Type.Object({
      days: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_DAYS,
          default: DEFAULT_DAYS,
          description: 'Grades of this many days, up to now',
        }),
      ),
      model: Type.Optional(
        Type.Union(
          GRADED_NAMES.map((name) => Type.Literal(name)),
          { description: 'Only grades of this model, or of this prediction of it' },
        ),
      ),
      ...pageParameters(LIMITS),
    }),
    response: { 200: GradesResponse },
    handle: async ({ gameId, query }) => {
      const { days = DEFAULT_DAYS, model, cursor, limit = LIMITS.fallback } = query;
      const list = `grades ${days} ${model ?? ''}`;
      const sinceDay = utcDay(ctx.clock.now() - days * DAY_MS);
      const after = gradeAfter(list, cursor);
      const found = await listGrades(ctx.pool, gameId, { sinceDay, limit: limit + 1, model, after });
      const keyOf = ({ day, model, modelVersion }: Grade) => [Date.parse(day), model, modelVersion];
      const { page, nextCursor } = cutPage(list, found, limit, keyOf);
      return { grades: page.map(({ gradedAt: _, ...grade }) => grade), nextCursor };
    },
  });
}

function gradeAfter(list: string, cursor: string | undefined): GradePage['after'] {
  const key = cursorOf(list, cursor, [0, '', 0]);
  if (key === undefined) return undefined;
  const [dayMs, model, modelVersion] = key;
  if (modelVersion < 0 || modelVersion > MAX_INTEGER) throw cursorInvalid();
  return { day: utcDay(cursorTime(dayMs)), model: model as GradedName, modelVersion };
}
