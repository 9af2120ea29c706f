import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { nullable, successOf, Time, toTime } from '../../platform/admin-api/admin-responses.js';
import {
  findAuditEntry,
  listAuditEntries,
  listAuditEntriesOfGame,
} from '../../platform/admin-api/audit-log.js';
import { pageLimit } from '../../platform/admin-api/page-cursor.js';
import { ApiError } from '../../platform/errors.js';
import { ROW_ID } from '../../platform/lib/row-id.js';
import type { AdminContext } from '../admin-api/admin-context.js';
import { requireGameOfTenant } from '../admin-api/admin-guard.js';
import { routesOfStudio } from '../admin-api/admin-routes.js';

const MAX_ENTRIES = 100;
const DEFAULT_ENTRIES = 20;

const entry = {
  id: Type.String({ description: 'Send it as `before` to get the entries before this one' }),
  at: Time('When the change was made'),
  game: nullable(Type.String({ description: 'The game, if the change belongs to one' })),
  actor: Type.String({ description: 'The name of the person or of the token, or who ran the command' }),
  actorEmail: nullable(
    Type.String({ description: 'The address of the person who was signed in; names are not unique' }),
  ),
  actorTokenId: nullable(Type.String({ description: 'The id of the admin token that was used' })),
  action: Type.String({ description: 'What was done', examples: ['config.publish'] }),
  target: Type.String({ description: 'What was changed', examples: ['version 7'] }),
  before: Type.Unknown({ description: 'The value before the change; null if there was none' }),
  after: Type.Unknown({ description: 'The value after the change; null if there is none' }),
};
const ENTRY_EXAMPLE = {
  id: '41',
  at: '2026-11-15T12:00:00.000Z',
  game: 'demo-game',
  actor: 'Ada',
  actorEmail: 'ada@studio.example',
  actorTokenId: null,
  action: 'override.set',
  target: 'player 0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a isPayer',
  before: null,
  after: { value: true, reason: 'Paid by bank transfer', until: null },
};

const AuditLogResponse = successOf(
  'AuditLogResponse',
  Type.Object({
    entries: Type.Array(
      Type.Object(
        {
          ...entry,
          isShortened: Type.Boolean({
            description:
              'True: `before` and `after` are too large for a list, and are null. Get the single entry to see them.',
          }),
        },
        { title: 'ListedAuditEntry' },
      ),
      { description: 'Newest first' },
    ),
  }),
  { example: { entries: [{ ...ENTRY_EXAMPLE, isShortened: false }] } },
);

const AuditEntryResponse = successOf('AuditEntryResponse', Type.Object(entry, { title: 'AuditEntry' }), {
  example: ENTRY_EXAMPLE,
});

/** Who changed what, and when. */
export function auditRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfStudio(app, ctx, 'Audit log');

  routes.get('/admin/v1/audit-log', {
    role: 'viewer',
    operationId: 'listAuditEntries',
    summary: 'Every change, newest first',
    description:
      'An entry is written in the transaction of its change, so that neither exists without the other.',
    querystring: Type.Object({
      game: Type.Optional(Type.String({ description: 'Only entries of this game' })),
      before: Type.Optional(Type.String({ description: 'Only entries before this id' })),
      limit: pageLimit({ max: MAX_ENTRIES, fallback: DEFAULT_ENTRIES }),
    }),
    response: { 200: AuditLogResponse },
    errors: ['game_not_found'],
    handle: async ({ admin, query }) => {
      const { game, before, limit = DEFAULT_ENTRIES } = query;
      const gameId = game === undefined ? null : (await requireGameOfTenant(ctx, admin, game)).gameId;
      const page = { beforeId: before === undefined ? null : entryId('before', before), limit };
      const entries =
        gameId === null
          ? await listAuditEntries(ctx.pool, admin.tenantId, page)
          : await listAuditEntriesOfGame(ctx.pool, gameId, page);
      return { entries: entries.map(({ at, ...rest }) => ({ ...rest, at: toTime(at) })) };
    },
  });

  routes.get('/admin/v1/audit-log/:entry', {
    role: 'viewer',
    operationId: 'getAuditEntry',
    summary: 'One change, with the full values before and after',
    params: Type.Object({ entry: Type.String({ description: 'Id of the entry', examples: ['41'] }) }),
    response: { 200: AuditEntryResponse },
    errors: ['audit_entry_not_found'],
    handle: async ({ admin, params }) => {
      const id = entryId('The entry', params.entry);
      const found = await findAuditEntry(ctx.pool, admin.tenantId, id);
      if (found === undefined) throw new ApiError('audit_entry_not_found');
      const { at, ...rest } = found;
      return { ...rest, at: toTime(at) };
    },
  });
}

function entryId(name: string, text: string): string {
  if (ROW_ID.test(text)) return text;
  throw new ApiError('parameter_invalid', { message: `${name} must be the id of an entry, given once.` });
}
