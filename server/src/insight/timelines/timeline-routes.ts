import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { readUserId } from '../../core/players/player-parameter.js';
import { PlayerParameters } from '../../liveops/players/admin-player-schemas.js';
import {
  cursorInvalid,
  cursorOf,
  pageParameters,
  writeCursor,
} from '../../platform/admin-api/page-cursor.js';
import { ApiError } from '../../platform/errors.js';
import { textParameter } from '../../platform/http/parameters.js';
import { DAY_MS } from '../../platform/lib/day.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../studio/admin-api/admin-routes.js';
import { instantParameter } from '../../studio/jobs/export-span.js';
import { type TimelinePosition, timelinePage } from './timeline.js';
import type { TimelineFilter } from './timeline-items.js';
import { findTimelinePlayer } from './timeline-queries.js';
import { TIMELINE_KINDS, type TimelineKind, TimelineResponse } from './timeline-schemas.js';

const LIMITS = { max: 200, fallback: 50 };
const MAX_EVENT_TYPE = 128;
/** A millisecond has a few batches of a player at most. */
const MAX_SHOWN = 2_000;

/** What happened to a player. */
export function timelineRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Players');

  routes.get('/admin/v1/games/:game/players/:playerId/timeline', {
    role: 'viewer',
    operationId: 'getTimeline',
    summary: 'What happened to a player, newest first',
    description:
      'Events, purchases and refunds by the time at which they happened, events that were refused, logins, overrides, pins and the versions of the configuration in force. A page looks at about 5,000 events: with a filter it may have fewer items than asked for, or none, and a `nextCursor` to go on with.',
    params: PlayerParameters,
    querystring: Type.Object({
      kinds: Type.Optional(
        Type.String({
          description: `Only items of these kinds, separated by commas: ${TIMELINE_KINDS.join(', ')}. All by default.`,
          examples: ['purchase,refund'],
        }),
      ),
      eventType: Type.Optional(
        Type.String({ maxLength: MAX_EVENT_TYPE, description: 'Only events of this type' }),
      ),
      from: Type.Optional(
        Type.String({
          description: 'Nothing from before this instant: an RFC 3339 time, or a date for its start in UTC',
          examples: ['2026-11-01'],
        }),
      ),
      to: Type.Optional(
        Type.String({ description: 'Nothing from this instant on', examples: ['2026-11-15T14:00:00Z'] }),
      ),
      ...pageParameters(LIMITS),
    }),
    response: { 200: TimelineResponse },
    errors: ['player_not_found'],
    handle: async ({ gameId, params, query }) => {
      const { kinds, eventType, cursor, limit = LIMITS.fallback } = query;
      const filter = { kinds: kindsOf(kinds), eventType: eventTypeOf(eventType) };
      const span = spanOf(query);
      const list = listName(filter, span);
      const nowMs = ctx.clock.now();
      // The clock of another node may be ahead.
      const newestMs = Math.min(nowMs + DAY_MS, (span.beforeMs ?? Number.POSITIVE_INFINITY) - 1);
      const from = positionOf(cursorOf(list, cursor, [0, 0]), newestMs);
      const { sinceMs } = span;
      const { player, items, next } = await ctx.reads.run(async (db) => {
        const player = await findTimelinePlayer(db, gameId, readUserId(params.playerId));
        if (player === undefined) throw new ApiError('player_not_found');
        const page = await timelinePage(db, { player, filter, from, sinceMs, limit, nowMs });
        return { player, ...page };
      });
      return {
        items,
        nextCursor: next === null ? null : writeCursor(list, [next.ms, next.shown]),
        eventsDeletedBefore: player.eventsDeletedBefore,
      };
    },
  });
}

/** A cursor belongs to its filter: with another filter it would skip items, or show them twice. */
function listName({ kinds, eventType }: TimelineFilter, { sinceMs, beforeMs }: Span): string {
  const time = sinceMs === undefined && beforeMs === undefined ? '' : ` ${sinceMs}-${beforeMs}`;
  return `timeline ${[...kinds].sort().join()} ${eventType ?? ''}${time}`;
}

type Span = Readonly<{ sinceMs: number | undefined; beforeMs: number | undefined }>;

function spanOf({ from, to }: { from?: string; to?: string }): Span {
  const span = { sinceMs: instantParameter('from', from), beforeMs: instantParameter('to', to) };
  if (span.sinceMs === undefined || span.beforeMs === undefined || span.sinceMs < span.beforeMs) return span;
  throw new ApiError('parameter_invalid', { message: 'from must be before to.' });
}

function positionOf(cursor: readonly [number, number] | undefined, newestMs: number): TimelinePosition {
  if (cursor === undefined) return { ms: newestMs, shown: 0 };
  const [ms, shown] = cursor;
  if (ms >= 0 && ms <= newestMs && shown >= 0 && shown <= MAX_SHOWN) return { ms, shown };
  throw cursorInvalid();
}

function kindsOf(text: string | undefined): ReadonlySet<TimelineKind> {
  if (text === undefined) return new Set(TIMELINE_KINDS);
  const names = text.split(',');
  const kinds = new Set(TIMELINE_KINDS.filter((kind) => names.includes(kind)));
  if (kinds.size > 0 && names.every((name) => kinds.has(name as TimelineKind))) return kinds;
  throw new ApiError('parameter_invalid', {
    message: `kinds must be some of ${TIMELINE_KINDS.join(', ')}, separated by commas.`,
  });
}

function eventTypeOf(text: string | undefined): string | null {
  return text === undefined ? null : textParameter('eventType', text, MAX_EVENT_TYPE);
}
