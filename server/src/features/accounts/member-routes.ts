import type { FastifyInstance } from 'fastify';
import { adminErrors } from '../../admin/admin-errors.js';
import { actorOf, adminOf, requireRole } from '../../admin/admin-guard.js';
import { adminSchema, success, toTime } from '../../admin/admin-responses.js';
import { cutIdPage, PageParameters, pageOf } from '../../admin/keyset-page.js';
import { ApiError } from '../../errors.js';
import { BODY_ERRORS } from '../../http/api-schemas.js';
import { withSchemaTypes } from '../../http/validation.js';
import { UUID } from '../../lib/uuid.js';
import type { AccountContext } from './account-context.js';
import { listMembers, type MemberRow } from './member-queries.js';
import {
  ChangedMemberResponse,
  MemberBody,
  MemberParameters,
  MembersResponse,
  RemovedMemberResponse,
} from './member-schemas.js';
import { changeRole, type HandedOut, type MemberChange, removeMember } from './members.js';

const HANDED_OUT =
  'If the member was an owner, the open invitations that the member made are withdrawn. The admin tokens that the member made keep working, because programs depend on them: `adminTokens` lists them, so that you can revoke some.';

/** The members of a studio, for its owners. */
export function memberRoutes(app: FastifyInstance, ctx: AccountContext): void {
  const routes = withSchemaTypes(app);
  app.addHook('onRequest', requireRole(ctx, 'owner'));
  const common = adminSchema('Access');

  routes.get(
    '/admin/v1/members',
    {
      schema: {
        ...common,
        operationId: 'listMembers',
        summary: 'The members of the studio, oldest account first',
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

  routes.put(
    '/admin/v1/members/:accountId',
    {
      schema: {
        ...common,
        operationId: 'changeRole',
        summary: 'Give a member another role',
        description: HANDED_OUT,
        params: MemberParameters,
        body: MemberBody,
        response: {
          200: ChangedMemberResponse,
          ...adminErrors([...BODY_ERRORS, 'member_not_found', 'last_owner']),
        },
      },
    },
    async (request) => {
      const place = { tenantId: adminOf(request).tenantId, accountId: idOf(request.params.accountId) };
      const actor = actorOf(ctx, request);
      const { member, ...handedOut } = changed(await changeRole(ctx.pool, place, request.body.role, actor));
      return success({ ...toResponse(member), ...toHandedOut(handedOut) });
    },
  );

  routes.delete(
    '/admin/v1/members/:accountId',
    {
      schema: {
        ...common,
        operationId: 'removeMember',
        summary: 'Remove a member: the next request of the member is refused',
        description: HANDED_OUT,
        params: MemberParameters,
        response: { 200: RemovedMemberResponse, ...adminErrors(['member_not_found', 'last_owner']) },
      },
    },
    async (request) => {
      const place = { tenantId: adminOf(request).tenantId, accountId: idOf(request.params.accountId) };
      const { member, ...handedOut } = changed(await removeMember(ctx.pool, place, actorOf(ctx, request)));
      return success({ accountId: member.accountId, ...toHandedOut(handedOut) });
    },
  );
}

/** The id of the path; `member_not_found` if it is no UUID. */
function idOf(text: string): string {
  if (!UUID.test(text)) throw new ApiError('member_not_found');
  return text;
}

function changed(change: MemberChange): HandedOut & { member: MemberRow } {
  switch (change.outcome) {
    case 'changed': {
      const { member, invitationsWithdrawn, adminTokens } = change;
      return { member, invitationsWithdrawn, adminTokens };
    }
    case 'no_such_member':
      throw new ApiError('member_not_found');
    case 'last_owner':
      throw new ApiError('last_owner');
  }
}

function toHandedOut({ invitationsWithdrawn, adminTokens }: HandedOut) {
  return {
    invitationsWithdrawn,
    adminTokens: adminTokens.map(({ expiresAt, ...rest }) => ({ ...rest, expiresAt: toTime(expiresAt) })),
  };
}

function toResponse({ joinedAt, ...rest }: MemberRow) {
  return { ...rest, joinedAt: toTime(joinedAt) };
}
