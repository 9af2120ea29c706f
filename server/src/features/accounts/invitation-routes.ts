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
  const routes = withSchemaTypes(app);
  app.addHook('onRequest', requireRole(ctx, 'owner'));
  const common = adminSchema('Access');

  routes.get(
    '/admin/v1/invitations',
    {
      schema: {
        ...common,
        operationId: 'listInvitations',
        summary: 'The open invitations, oldest first',
        querystring: PageParameters,
        response: { 200: InvitationsResponse, ...adminErrors(['parameter_invalid']) },
      },
    },
    async (request) => {
      const page = pageOf(request.query, UUID);
      const found = await listInvitations(ctx.pool, adminOf(request).tenantId, page, ctx.clock.now());
      const { rows, nextCursor } = cutIdPage(found, page, ({ invitationId }) => invitationId);
      return success({ invitations: rows.map(toResponse), nextCursor });
    },
  );

  routes.post(
    '/admin/v1/invitations',
    {
      schema: {
        ...common,
        operationId: 'createInvitation',
        summary: 'Invite a person by a link, which is shown once',
        description: `The link is valid for this address and role, works once, and expires after ${INVITATION_DAYS} days. A former invitation of the same address is withdrawn.`,
        body: InvitationBody,
        response: { 201: CreatedInvitationResponse, ...adminErrors([...BODY_ERRORS, 'already_member']) },
      },
    },
    async (request, reply) => {
      const { email, role } = request.body;
      const { tenantId } = adminOf(request);
      const invited = await invite(ctx.pool, { tenantId, email, role }, actorOf(ctx, request));
      if (invited === undefined) throw new ApiError('already_member');
      const { invitation, token } = invited;
      // Browsers do not send what follows the `#`: see `signInPath`.
      const path = `/console/invitation#token=${token}`;
      return reply.code(201).send(success({ invitation: toResponse(invitation), token, path }));
    },
  );

  routes.delete(
    '/admin/v1/invitations/:invitation',
    {
      schema: {
        ...common,
        operationId: 'revokeInvitation',
        summary: 'Withdraw an invitation: its link stops working',
        params: InvitationParameters,
        response: { 200: RevokedInvitationResponse, ...adminErrors(['invitation_not_found']) },
      },
    },
    async (request) => {
      const { invitation: invitationId } = request.params;
      const place = { tenantId: adminOf(request).tenantId, invitationId };
      const isRevoked =
        UUID.test(invitationId) && (await revokeInvitation(ctx.pool, place, actorOf(ctx, request)));
      if (!isRevoked) throw new ApiError('invitation_not_found');
      return success({ invitationId });
    },
  );
}

function toResponse({ createdAt, expiresAt, ...rest }: InvitationRow) {
  return { ...rest, createdAt: toTime(createdAt), expiresAt: toTime(expiresAt) };
}
