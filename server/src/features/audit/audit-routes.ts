import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { ApiError } from '../../errors.js';
import {
  adminSchema,
  nullable,
  success,
  successOf,
  Time,
  toTime,
  wholeNumber,
} from '../admin/admin-answers.js';
import type { AdminContext } from '../admin/admin-context.js';
import { adminErrors } from '../admin/admin-errors.js';
import { adminOf, requireGameOfTenant, requireRole } from '../admin/admin-guard.js';
import { listAuditEntries } from './audit-log.js';

/** Entries hold what changed, in full: a page of them may be large. */
const MAX_ENTRIES = 100;
const DEFAULT_ENTRIES = 20;
/** Within PostgreSQL's `bigint`. */
const ENTRY_ID = /^\d{1,18}$/;

const AuditLogResponse = successOf(
  'AuditLogResponse',
  Type.Object({
    entries: Type.Array(
      Type.Object(
        {
          id: Type.String({ description: 'To be sent as `before` for the entries that came before it' }),
          at: Time('When it was done'),
          game: nullable(Type.String({ description: 'The game, if it was about one' })),
          actor: Type.String({ description: 'The name of the token, or who ran the command' }),
          action: Type.String({ description: 'What was done', examples: ['config.publish'] }),
          target: Type.String({ description: 'To what', examples: ['version 7'] }),
          before: Type.Unknown({ description: 'As it was; null if there was nothing' }),
          after: Type.Unknown({ description: 'As it is; null if there is nothing any more' }),
        },
        { title: 'AuditEntry' },
      ),
      { description: 'Newest first' },
    ),
  }),
  {
    example: {
      entries: [
        {
          id: '41',
          at: '2026-11-15T12:00:00.000Z',
          game: 'demo-game',
          actor: 'Ada',
          action: 'override.set',
          target: 'player 0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a isPayer',
          before: null,
          after: { value: true, reason: 'Paid by bank transfer', until: null },
        },
      ],
    },
  },
);

/** Who changed what, and when. */
export function auditRoutes(app: FastifyInstance, ctx: AdminContext): void {
  app.get<{ Querystring: { game?: unknown; before?: unknown; limit?: unknown } }>(
    '/admin/v1/audit-log',
    {
      onRequest: requireRole(ctx, 'viewer'),
      schema: {
        ...adminSchema('Audit log'),
        operationId: 'listAuditEntries',
        summary: 'Every change, newest first',
        description:
          'An entry is written with the change it tells of: there is not the one without the other.',
        querystring: Type.Object({
          game: Type.Optional(Type.String({ description: 'Only of this game' })),
          before: Type.Optional(Type.String({ description: 'Only entries before this id' })),
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_ENTRIES, default: DEFAULT_ENTRIES })),
        }),
        response: { 200: AuditLogResponse, ...adminErrors(['parameter_invalid', 'game_not_found']) },
      },
    },
    async (request) => {
      const { game, before, limit } = request.query;
      const gameId =
        game === undefined ? null : (await requireGameOfTenant(ctx, request, String(game))).gameId;
      const entries = await listAuditEntries(ctx.pool, adminOf(request).tenantId, {
        gameId,
        beforeId: before === undefined ? null : entryId(before),
        limit: wholeNumber('limit', limit, { min: 1, max: MAX_ENTRIES, fallback: DEFAULT_ENTRIES }),
      });
      return success({ entries: entries.map(({ at, ...entry }) => ({ ...entry, at: toTime(at) })) });
    },
  );
}

function entryId(text: unknown): string {
  if (typeof text === 'string' && ENTRY_ID.test(text)) return text;
  throw new ApiError('parameter_invalid', { message: 'before must be the id of an entry, given once.' });
}
