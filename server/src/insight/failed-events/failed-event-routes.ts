import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { EVENT_LIMITS } from '../../core/events/intake/limits.js';
import { GameParameters, toTime } from '../../platform/admin-api/admin-responses.js';
import {
  cursorId,
  cursorInvalid,
  cursorOf,
  cutPage,
  pageParameters,
} from '../../platform/admin-api/page-cursor.js';
import { ApiError } from '../../platform/errors.js';
import { textParameter } from '../../platform/http/parameters.js';
import { MAX_INTEGER } from '../../platform/lib/max-integer.js';
import { ROW_ID } from '../../platform/lib/row-id.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../studio/admin-api/admin-routes.js';
import {
  type FailedEventRow,
  type FailedGroupPage,
  type FailedGroupRow,
  findFailedEvent,
  listFailedEvents,
  listFailedGroups,
} from './failed-event-queries.js';
import { FailedEventResponse, FailedEventsResponse, FailedGroupsResponse } from './failed-event-schemas.js';
import { probablyMeant } from './probably-meant.js';

/** An entry has up to 64 KiB of text. */
const LIMITS = { max: 100, fallback: 20 };
const GROUP_LIMITS = { max: 1_000, fallback: 1_000 };
const GROUPS = 'failed groups';
const MAX_REASON = 64;
export const EntryParameters = Type.Object({
  ...GameParameters.properties,
  id: Type.String({ description: 'Id of the entry', examples: ['381'] }),
});

/** The inbox of events that were refused. */
export function failedEventRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Events');

  routes.get('/admin/v1/games/:game/failed-events', {
    role: 'viewer',
    operationId: 'listFailedEventGroups',
    summary: 'Events that were refused and wait in the inbox, by reason and type',
    description: 'Entries are kept for 30 days.',
    querystring: Type.Object(pageParameters(GROUP_LIMITS)),
    response: { 200: FailedGroupsResponse },
    handle: async ({ gameId, query }) => {
      const { cursor, limit = GROUP_LIMITS.fallback } = query;
      const after = groupAfter(cursor);
      const groups = await listFailedGroups(ctx.pool, { gameId, limit: limit + 1, after });
      const keyOf = ({ entries, code, eventType }: FailedGroupRow) => [entries, code, eventType ?? ''];
      const { page, nextCursor } = cutPage(GROUPS, groups, limit, keyOf);
      return { groups: page.map(groupResponse), nextCursor };
    },
  });

  routes.get('/admin/v1/games/:game/failed-events/list', {
    role: 'viewer',
    operationId: 'listFailedEvents',
    summary: 'The open entries of a group, newest first',
    querystring: Type.Object({
      reason: Type.String({ description: '`reason` of the group', examples: ['schema_mismatch'] }),
      eventType: Type.Optional(
        Type.String({
          description: 'Only of this type; empty for those whose type could not be read; any if left out',
        }),
      ),
      ...pageParameters(LIMITS),
    }),
    response: { 200: FailedEventsResponse },
    handle: async ({ gameId, query }) => {
      const { reason, eventType, cursor, limit = LIMITS.fallback } = query;
      const code = textParameter('reason', reason, MAX_REASON);
      const group = { gameId, code, ...typeOf(eventType) };
      const list = `failed ${JSON.stringify([code, group.eventType])}`;
      const beforeId = cursorOf(list, cursor, [''])?.[0];
      const before = beforeId === undefined ? {} : { beforeId: cursorId(beforeId, ROW_ID) };
      const entries = await listFailedEvents(ctx.pool, group, { limit: limit + 1, ...before });
      const { page, nextCursor } = cutPage(list, entries, limit, ({ id }) => [id]);
      return { events: page.map(entryResponse), nextCursor };
    },
  });

  routes.get('/admin/v1/games/:game/failed-events/:id', {
    role: 'viewer',
    operationId: 'getFailedEvent',
    summary: 'An entry of the inbox, open or replayed',
    params: EntryParameters,
    response: { 200: FailedEventResponse },
    errors: ['failed_event_not_found'],
    handle: async ({ gameId, params }) => {
      const entry = await findFailedEvent(ctx.pool, checkedEntry(params.id), gameId);
      if (entry === undefined) throw new ApiError('failed_event_not_found');
      return entryResponse(entry);
    },
  });
}

function groupAfter(cursor: string | undefined): FailedGroupPage['after'] {
  const key = cursorOf(GROUPS, cursor, [0, '', '']);
  if (key === undefined) return undefined;
  const [entries, code, eventType] = key;
  if (entries < 0 || entries > MAX_INTEGER) throw cursorInvalid();
  return { entries, code: code as FailedGroupRow['code'], eventType };
}

/** The id of the address. */
export function checkedEntry(id: string): string {
  if (!ROW_ID.test(id)) throw new ApiError('failed_event_not_found');
  return id;
}

function typeOf(text: string | undefined): { eventType?: string | null } {
  if (text === undefined) return {};
  if (text === '') return { eventType: null };
  return { eventType: textParameter('eventType', text, EVENT_LIMITS.maxEventTypeLength) };
}

function groupResponse(group: FailedGroupRow) {
  const { code, eventType, entries, firstAt, lastAt, exampleId, exampleMessage } = group;
  return {
    reason: code,
    eventType,
    entries,
    firstAt: toTime(firstAt),
    lastAt: toTime(lastAt),
    exampleId,
    exampleMessage,
    looksLike: probablyMeant(group) ?? null,
  };
}

function entryResponse(entry: FailedEventRow) {
  const { id, userId, code, message, path, eventType, raw, isCut, clientBuild, receivedAt } = entry;
  return {
    id,
    playerId: userId,
    reason: code,
    message,
    path,
    eventType,
    raw,
    isCut,
    clientBuild,
    receivedAt: toTime(receivedAt),
    replayedAt: toTime(entry.replayedAt),
    replayedAs: entry.replayedAs,
  };
}
