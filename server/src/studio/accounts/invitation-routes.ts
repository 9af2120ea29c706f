import type { FastifyInstance } from 'fastify';
import { toTime } from '../../platform/admin-api/admin-responses.js';
import { cutIdPage, PageParameters, pageOf } from '../../platform/admin-api/keyset-page.js';
import { ApiError } from '../../platform/errors.js';
import { BODY_ERRORS } from '../../platform/http/api-schemas.js';
import { UUID } from '../../platform/lib/uuid.js';
import { routesOfStudio } from '../admin-api/admin-routes.js';
import type { AccountContext } from './account-context.js';
import { type InvitationRow, listInvitations } from './invitation-queries.js';
import { INVITATION_DAYS, invite, revokeInvitation } from './invitations.js';
import {
  CreatedInvitationResponse,
  InvitationBody,
  InvitationParameters,
  InvitationsResponse,
  RevokedInvitationResponse,
} from './member-schemas.js';

/** Invitations to a studio, for its owners. */
export function invitationRoutes(app: FastifyInstance, ctx: AccountContext): void {
  const routes = routesOfStudio(app, ctx, 'Access');

  routes.get('/admin/v1/invitations', {
    role: 'owner',
    operationId: 'listInvitations',
    summary: 'The open invitations, oldest first',
    querystring: PageParameters,
    response: { 200: InvitationsResponse },
    handle: async ({ admin, query }) => {
      const page = pageOf(query, UUID);
      const found = await listInvitations(ctx.pool, admin.tenantId, page, ctx.clock.now());
      const { rows, nextCursor } = cutIdPage(found, page, ({ invitationId }) => invitationId);
      return { invitations: rows.map(toResponse), nextCursor };
    },
  });

  routes.post('/admin/v1/invitations', {
    role: 'owner',
    operationId: 'createInvitation',
    summary: 'Invite a person by a link, which is shown once',
    description: `The link is valid for this address and role, works once, and expires after ${INVITATION_DAYS} days. A former invitation of the same address is withdrawn.`,
    body: InvitationBody,
    response: { 201: CreatedInvitationResponse },
    errors: [...BODY_ERRORS, 'already_member'],
    handle: async ({ admin: { tenantId }, body, actorNow }) => {
      const { email, role } = body;
      const invited = await invite(ctx.pool, { tenantId, email, role }, actorNow());
      if (invited === undefined) throw new ApiError('already_member');
      const { invitation, token } = invited;
      // Browsers do not send what follows the `#`: see `signInPath`.
      const path = `/console/invitation#token=${token}`;
      return { invitation: toResponse(invitation), token, path };
    },
  });

  routes.delete('/admin/v1/invitations/:invitation', {
    role: 'owner',
    operationId: 'revokeInvitation',
    summary: 'Withdraw an invitation: its link stops working',
    params: InvitationParameters,
    response: { 200: RevokedInvitationResponse },
    errors: ['invitation_not_found'],
    handle: async ({ admin, params, actorNow }) => {
      const { invitation: invitationId } = params;
      const place = { tenantId: admin.tenantId, invitationId };
      const isRevoked = UUID.test(invitationId) && (await revokeInvitation(ctx.pool, place, actorNow()));
      if (!isRevoked) throw new ApiError('invitation_not_found');
      return { invitationId };
    },
  });
}

function toResponse({ createdAt, expiresAt, ...rest }: InvitationRow) {
  return { ...rest, createdAt: toTime(createdAt), expiresAt: toTime(expiresAt) };
}
