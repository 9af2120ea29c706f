import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { ApiError, busy } from '../../platform/errors.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { adminOf, requireRole } from '../../studio/admin-api/admin-guard.js';
import { routesOfGame } from '../../studio/admin-api/admin-routes.js';
import { LiveMessage } from './live-schemas.js';
import { createLiveStream, readPlace } from './live-stream.js';
import { createLiveTails, type LiveListener, type LiveNews } from './live-tail.js';

/** A studio with so many open pages has left some of them open. */
const MAX_LISTENERS_PER_STUDIO = 20;
const MAX_LISTENERS = 200;
const RETRY_AFTER_SECONDS = 30;
/** How soon a token that was revoked hears no more. */
const GUARD_INTERVAL_MS = 2_000;
/** Longer ago there is too much to catch up with. */
const MAX_CATCH_UP_MS = 300_000;

/** The events of a game as they arrive. */
export function liveRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Events');
  const tails = createLiveTails(ctx);
  const guard = requireRole(ctx, 'viewer');
  const listeners = new Map<number, number>();
  const open = new Set<() => void>();
  app.addHook('preClose', async () => {
    for (const close of open) close();
    tails.stop();
  });

  routes.get('/admin/v1/games/:game/events/live', {
    role: 'viewer',
    operationId: 'watchEvents',
    summary: 'The events of a game as they arrive, as server-sent events',
    description:
      '`event: event` for each event, at most a hundred every half second, and `event: rate` about once a second. After a break the stream goes on behind `Last-Event-ID`, if that is less than five minutes ago. `event: end` comes before the stream is closed because the token may no longer read it.',
    // Whoever asks for the headers alone would listen for ever.
    options: { exposeHeadRoute: false, config: { isLive: true } },
    headers: Type.Object({
      'Last-Event-ID': Type.Optional(
        Type.String({ description: 'The id of the last message; browsers send it by themselves' }),
      ),
    }),
    response: {
      200: {
        description: 'Server-sent events; this is their `data`',
        content: { 'text/event-stream': { schema: LiveMessage } },
      },
    },
    errors: ['busy'],
    handle: async ({ gameId, admin: { tenantId }, request, reply }) => {
      takePlace(listeners, tenantId);
      const stream = createLiveStream();
      let leave = () => {};
      const timer = setInterval(() => {
        void refusal(guard, request, tenantId).then((code) => code !== undefined && stream.end(code));
      }, GUARD_INTERVAL_MS).unref();
      const close = () => stream.close();
      const free = () => {
        clearInterval(timer);
        leave();
        open.delete(close);
        givePlaceBack(listeners, tenantId);
      };
      try {
        // Until it is known what was missed, news wait.
        const early: LiveNews[] = [];
        let show: LiveListener = (news) => early.push(news);
        leave = await tails.listen(gameId, (news) => show(news));
        const place = readPlace(request.headers['last-event-id']);
        if (place !== undefined && ctx.clock.now() - place.receivedMs < MAX_CATCH_UP_MS) {
          stream.catchUp(await tails.since(gameId, place));
        }
        for (const news of early) stream.show(news);
        show = stream.show;
      } catch (error) {
        free();
        throw error;
      }
      open.add(close);
      stream.output.once('close', free);
      return reply.header('content-type', 'text/event-stream').send(stream.output);
    },
  });
}

function takePlace(listeners: Map<number, number>, tenantId: number): void {
  const own = listeners.get(tenantId) ?? 0;
  const all = [...listeners.values()].reduce((sum, count) => sum + count, 0);
  if (own >= MAX_LISTENERS_PER_STUDIO || all >= MAX_LISTENERS) {
    throw busy(RETRY_AFTER_SECONDS);
  }
  listeners.set(tenantId, own + 1);
}

function givePlaceBack(listeners: Map<number, number>, tenantId: number): void {
  const left = (listeners.get(tenantId) ?? 1) - 1;
  if (left === 0) listeners.delete(tenantId);
  else listeners.set(tenantId, left);
}

/** Why the request would be refused now. A database that cannot be asked is no reason. */
async function refusal(
  guard: ReturnType<typeof requireRole>,
  request: FastifyRequest,
  tenantId: number,
): Promise<string | undefined> {
  try {
    await guard(request);
    // Without X-Tenant-ID, somebody who was removed from one studio is let in to another one.
    return adminOf(request).tenantId === tenantId ? undefined : 'not_a_member';
  } catch (error) {
    return error instanceof ApiError && error.status < 500 ? error.code : undefined;
  }
}
