import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import type { Pool } from '../../../platform/db/pool.js';
import { busy } from '../../../platform/errors.js';
import { BODY_ERRORS } from '../../../platform/http/api-schemas.js';
import { DAY_MS, HOUR_MS } from '../../../platform/lib/day.js';
import { createFairSemaphore } from '../../../platform/lib/fair-semaphore.js';
import type { AdminContext } from '../../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../../studio/admin-api/admin-routes.js';
import { daySpanOf } from '../../../studio/admin-api/day-span.js';
import { findDeletedBefore } from '../../../studio/admin-api/game-queries.js';
import { toJob } from '../../../studio/admin-api/job-schemas.js';
import { FunnelBody, FunnelJobResponse, type FunnelResult } from './funnel-schemas.js';
import { type FunnelRun, runFunnel } from './run-funnel.js';

/** A funnel keeps one core of the database busy. No request waits: a second one of the studio gets `busy`. */
const RUNS = { maxConcurrent: 2, maxConcurrentPerKey: 1, maxWaitingPerKey: 0 };
const RETRY_AFTER_SECONDS = 10;

/** How many players go from one event to the next. */
export function funnelRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Numbers');
  const semaphore = createFairSemaphore(RUNS);
  routes.post('/admin/v1/games/:game/funnels', {
    role: 'viewer',
    operationId: 'startFunnel',
    summary: 'How many players go from one type of event to the next within a time',
    description:
      'Starts a job that reads the stored events; its `result` is a `FunnelResult`. A player enters with each event of the first type in the span. Each further step must be later than the one before and within the window after the entry; the furthest attempt of a player counts. Changes nothing.',
    body: FunnelBody,
    response: { 202: FunnelJobResponse },
    errors: [...BODY_ERRORS, 'busy'],
    handle: async ({ gameId, admin, body, actorNow }) => {
      const nowMs = ctx.clock.now();
      const { steps, windowHours, by = null } = body;
      const run = { gameId, steps, windowHours, by, ...daySpanOf(body, nowMs) };
      const { from, to } = run;
      const subject = { steps: steps.join(' → '), windowHours, from, to, by };
      const job = { gameId, kind: 'funnel', subject, actor: actorNow() } as const;
      const started = await ctx.jobs.start(
        job,
        ({ signal, tell }) =>
          ctx.reads.run((db) => funnelResult(db, { ...run, signal, onProgress: tell }, nowMs)),
        semaphore.of(admin.tenantId).take,
      );
      if (started === undefined) throw busy(RETRY_AFTER_SECONDS);
      return { ...toJob(started), result: null };
    },
  });
}

async function funnelResult(
  db: Pool,
  run: FunnelRun,
  nowMs: number,
): Promise<Static<typeof FunnelResult> | null> {
  const { gameId, steps, windowHours, from, to, by } = run;
  const counted = await runFunnel(db, run);
  if (counted === null) return null;
  const deletedBefore = await findDeletedBefore(db, gameId);
  return {
    steps: [...steps],
    windowHours,
    from,
    to,
    by,
    isComplete: Date.parse(to) + DAY_MS + windowHours * HOUR_MS <= nowMs,
    eventsDeletedBefore: deletedBefore !== null && deletedBefore > from ? deletedBefore : null,
    players: counted.players,
    values: counted.values.map(({ kind, value, players }) => ({
      kind,
      value: kind === 'value' ? value : null,
      players,
    })),
  };
}
