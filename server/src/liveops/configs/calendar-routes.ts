import type { FastifyInstance } from 'fastify';
import { requireConfigVersion } from '../../core/configs/config-queries.js';
import { documentWork } from '../../core/configs/document-work.js';
import { calendarWindowSteps } from '../../decide/document/calendar-windows.js';
import { DEFAULT_STUDIO_ZONE } from '../../decide/document/parts/calendar.js';
import { dayOfDate } from '../../decide/schedules/calendar-days.js';
import { instantOf, isTimeZone } from '../../decide/schedules/zone-time.js';
import { ApiError } from '../../platform/errors.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../studio/admin-api/admin-routes.js';
import { CalendarQuery, CalendarResponse, MAX_CALENDAR_DAYS } from './calendar-schemas.js';
import { findDraft } from './draft.js';

/** What of a game runs when. */
export function calendarRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Draft');

  routes.get('/admin/v1/games/:game/calendar', {
    role: 'viewer',
    operationId: 'getCalendar',
    summary: 'What runs when, for players of a zone',
    querystring: CalendarQuery,
    response: { 200: CalendarResponse },
    handle: async ({ gameId, publishedVersion, query }) => {
      const { version = 'draft' } = query;
      const isDraft = version === 'draft';
      const { document } = isDraft
        ? await findDraft(ctx.pool, gameId)
        : await requireConfigVersion(ctx.pool, gameId, publishedVersion);
      const studioZone = document.calendar?.studioZone ?? DEFAULT_STUDIO_ZONE;
      const { zone = studioZone } = query;
      if (!isTimeZone(zone)) throw wrong('zone must be a name such as Europe/Berlin.');
      const days = daysOf(query);
      const fromMs = instantOf(days.first, 0, zone).epochMs;
      const toMs = instantOf(days.last + 1, 0, zone).epochMs;
      const span = { fromMs, toMs, zone, studioZone };
      const { entries, leftOut } = await documentWork.run(gameId, calendarWindowSteps(document, span));
      return {
        zone,
        from: new Date(fromMs).toISOString(),
        to: new Date(toMs).toISOString(),
        version: isDraft ? null : publishedVersion,
        entries: entries.map(({ windows, ...entry }) => ({
          ...entry,
          windows: windows.map(({ from, until }) => ({ from: timeOf(from), until: timeOf(until) })),
        })),
        leftOut,
      };
    },
  });
}

function daysOf({ from, to }: CalendarQuery): Readonly<{ first: number; last: number }> {
  const [first, last] = [dayOfDate(from), dayOfDate(to)];
  if (first === undefined || last === undefined) throw wrong('from and to must be days such as 2026-11-15.');
  if (last < first || last - first >= MAX_CALENDAR_DAYS)
    throw wrong(`from to to must be 1 to ${MAX_CALENDAR_DAYS} days.`);
  return { first, last };
}

function wrong(message: string): ApiError {
  return new ApiError('parameter_invalid', { message });
}

function timeOf(instant: number): string | null {
  return Number.isFinite(instant) ? new Date(instant).toISOString() : null;
}
