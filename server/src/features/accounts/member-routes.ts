import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { ApiError } from '../../errors.js';
import { adminSchema, success, toTime } from '../../http/admin-responses.js';
import { BODY_ERRORS } from '../../http/api-schemas.js';
import { cutIdPage, PageParameters, type PageQuery, pageOf } from '../../http/keyset-page.js';
import { UUID } from '../../lib/uuid.js';
import { adminErrors } from '../studios/admin-errors.js';
import { actorOf, adminOf, requireRole } from '../studios/admin-guard.js';
import type { AccountContext } from './account-context.js';
import { listMembers, type MemberRow } from './member-queries.js';
import {
  MemberBody,
  MemberParameters,
  MemberResponse,
  MembersResponse,
  RemovedMemberResponse,
} from './member-schemas.js';
import { changeRole, type MemberChange, removeMember } from './members.js';

/** The people of a studio, for its owners. */
export function memberRoutes(app: FastifyInstance, ctx: AccountContext): void {
  app.addHook('onRequest', requireRole(ctx, 'owner'));
  const common = adminSchema('Access');

  app.get<{ Querystring: PageQuery }>(
    '/admin/v1/members',
    {
      schema: {
        ...common,
        operationId: 'listMembers',
        summary: 'The members of the studio, by the age of their accounts',
        querystring: PageParameters,
        response: { 200: MembersResponse, ...adminErrors(['parameter_invalid']) },
      },
    },
    async (request) => {
      const page = pageOf(request.query, UUID);
      const found = await listMembers(ctx.pool, adminOf(request).tenantId, page);
      const { rows, nextCursor } = cutIdPage(found, page, ({ accountId }) => accountId);
      return success({ members: rows.map(toResponse), nextCursor });
    },
  );

  app.put<{ Body: Static<typeof MemberBody>; Params: { accountId: string } }>(
    '/admin/v1/members/:accountId',
    {
      schema: {
        ...common,
        operationId: 'changeRole',
        summary: 'Give a member another role',
        params: MemberParameters,
        body: MemberBody,
        response: {
          200: MemberResponse,
          ...adminErrors([...BODY_ERRORS, 'member_not_found', 'last_owner']),
        },
      },
    },
    async (request) => {
      const place = { tenantId: adminOf(request).tenantId, accountId: idOf(request.params.accountId) };
      return success(
        toResponse(changed(await changeRole(ctx.pool, place, request.body.role, actorOf(ctx, request)))),
      );
    },
  );

  app.delete<{ Params: { accountId: string } }>(
    '/admin/v1/members/:accountId',
    {
      schema: {
        ...common,
        operationId: 'removeMember',
        summary: 'Remove a member: the studio is closed to them from the next request on',
        params: MemberParameters,
        response: { 200: RemovedMemberResponse, ...adminErrors(['member_not_found', 'last_owner']) },
      },
    },
    async (request) => {
      const place = { tenantId: adminOf(request).tenantId, accountId: idOf(request.params.accountId) };
      const { accountId } = changed(await removeMember(ctx.pool, place, actorOf(ctx, request)));
      return success({ accountId });
    },
  );
}

/** What cannot be an account is not looked for. */
function idOf(text: string): string {
  if (!UUID.test(text)) throw new ApiError('member_not_found');
  return text;
}

function changed(change: MemberChange): MemberRow {
  switch (change.outcome) {
    case 'changed':
      return change.member;
    case 'no_such_member':
      throw new ApiError('member_not_found');
    case 'last_owner':
      throw new ApiError('last_owner');
  }
}

function toResponse({ joinedAt, ...rest }: MemberRow) {
  return { ...rest, joinedAt: toTime(joinedAt) };
}
