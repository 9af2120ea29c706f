import type { FastifyInstance } from 'fastify';
import { toTime } from '../../platform/admin-api/admin-responses.js';
import { cutIdPage, PageParameters, pageOf } from '../../platform/admin-api/keyset-page.js';
import { ApiError } from '../../platform/errors.js';
import { BODY_ERRORS } from '../../platform/http/api-schemas.js';
import { UUID } from '../../platform/lib/uuid.js';
import { routesOfStudio } from '../admin-api/admin-routes.js';
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
  const routes = routesOfStudio(app, ctx, 'Access');

  routes.get('/admin/v1/members', {
    role: 'owner',
    operationId: 'listMembers',
    summary: 'The members of the studio, oldest account first',
    querystring: PageParameters,
    response: { 200: MembersResponse },
    handle: async ({ admin, query }) => {
      const page = pageOf(query, UUID);
      const found = await listMembers(ctx.pool, admin.tenantId, page);
      const { rows, nextCursor } = cutIdPage(found, page, ({ accountId }) => accountId);
      return { members: rows.map(toResponse), nextCursor };
    },
  });

  routes.put('/admin/v1/members/:accountId', {
    role: 'owner',
    operationId: 'changeRole',
    summary: 'Give a member another role',
    description: HANDED_OUT,
    params: MemberParameters,
    body: MemberBody,
    response: { 200: ChangedMemberResponse },
    errors: [...BODY_ERRORS, 'member_not_found', 'last_owner'],
    handle: async ({ admin, params, body, actorNow }) => {
      const place = { tenantId: admin.tenantId, accountId: idOf(params.accountId) };
      const actor = actorNow();
      const { member, ...handedOut } = changed(await changeRole(ctx.pool, place, body.role, actor));
      return { ...toResponse(member), ...toHandedOut(handedOut) };
    },
  });

  routes.delete('/admin/v1/members/:accountId', {
    role: 'owner',
    operationId: 'removeMember',
    summary: 'Remove a member: the next request of the member is refused',
    description: HANDED_OUT,
    params: MemberParameters,
    response: { 200: RemovedMemberResponse },
    errors: ['member_not_found', 'last_owner'],
    handle: async ({ admin, params, actorNow }) => {
      const place = { tenantId: admin.tenantId, accountId: idOf(params.accountId) };
      const { member, ...handedOut } = changed(await removeMember(ctx.pool, place, actorNow()));
      return { accountId: member.accountId, ...toHandedOut(handedOut) };
    },
  });
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
