import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { adminSchema, success, toTime } from '../../platform/admin-api/admin-responses.js';
import { ApiError } from '../../platform/errors.js';
import { BODY_ERRORS } from '../../platform/http/api-schemas.js';
import { withSchemaTypes } from '../../platform/http/validation.js';
import { parseNetworks } from '../../platform/lib/parse-network.js';
import { openErrors } from '../admin-api/admin-errors.js';
import { sessionOrigin } from '../admin-api/admin-sessions.js';
import type { AccountContext } from './account-context.js';
import { emailKeyOf, findAccountByEmail } from './account-queries.js';
import { SignedInResponse } from './account-schemas.js';
import { checkCredentials, hashed } from './credentials.js';
import { findInvitation, type OpenInvitation } from './invitation-queries.js';
import { type Accepting, acceptInvitation } from './invitations.js';
import { AcceptInvitationBody, ShowInvitationBody, ShownInvitationResponse } from './member-schemas.js';
import { refuseWeakPassword } from './new-password.js';
import { OPEN_BODY_BYTES, refuseOtherOrigins, signedInResponse } from './sign-in-routes.js';

/** The routes behind the link of an invitation: show it, and accept it. */
export function acceptRoutes(app: FastifyInstance, ctx: AccountContext): void {
  const routes = withSchemaTypes(app);
  const common = { ...adminSchema('Account'), security: [] };

  routes.post(
    '/admin/v1/invitations/show',
    {
      onRequest: refuseOtherOrigins,
      bodyLimit: OPEN_BODY_BYTES,
      schema: {
        ...common,
        operationId: 'showInvitation',
        summary: 'The address, role and studio of an invitation',
        body: ShowInvitationBody,
        response: { 200: ShownInvitationResponse, ...openErrors([...BODY_ERRORS, 'link_invalid']) },
      },
    },
    async (request) => {
      const { email, role, studio, invitedBy, expiresAt } = await invitationOf(ctx, request.body.token);
      return success({ email, role, studio, invitedBy, expiresAt: toTime(expiresAt) });
    },
  );

  routes.post(
    '/admin/v1/invitations/accept',
    {
      onRequest: refuseOtherOrigins,
      bodyLimit: OPEN_BODY_BYTES,
      schema: {
        ...common,
        operationId: 'acceptInvitation',
        summary: 'Accept an invitation, and sign in',
        body: AcceptInvitationBody,
        response: {
          200: SignedInResponse,
          ...openErrors([
            ...BODY_ERRORS,
            'password_weak',
            'link_invalid',
            'sign_in_refused',
            'second_factor_needed',
            'sign_in_slowed',
            'busy',
          ]),
        },
      },
    },
    async (request, reply) => {
      const { token } = request.body;
      const invitation = await invitationOf(ctx, token);
      const accepting = await acceptingOf(ctx, request, request.body, invitation);
      const { account, session } = await acceptInvitation(
        ctx.pool,
        invitation,
        token,
        accepting,
        sessionOrigin(request),
        ctx.clock.now(),
      );
      return signedInResponse(ctx, request, reply, account, session);
    },
  );
}

async function invitationOf(ctx: AccountContext, token: string): Promise<OpenInvitation> {
  const invitation = await findInvitation(ctx.pool, token, ctx.clock.now());
  if (invitation === undefined) throw new ApiError('link_invalid');
  return invitation;
}

/**
 * If the address has an account, its password is required. Otherwise the owner of any studio could take over an account by inviting
 * its address. The owner has the link, too, and must not learn whether the address has an account. So the person says whether
 * they have one, by leaving the name out, and every refusal is the same for both kinds of addresses.
 */
async function acceptingOf(
  ctx: AccountContext,
  request: FastifyRequest,
  { name, password, code }: Static<typeof AcceptInvitationBody>,
  { email }: OpenInvitation,
): Promise<Accepting> {
  if (name !== undefined) await refuseWeakPassword(password, email);
  const known = await findAccountByEmail(ctx.pool, emailKeyOf(email));
  if (known !== undefined || name === undefined)
    return { account: await checkCredentials(ctx, request, { email, password, code }) };
  const lane = { name: 'stranger', keys: parseNetworks(request.ip) } as const;
  const passwordHash = hashed(await ctx.passwords.hash(password, lane));
  return { newAccount: { name: name.trim(), passwordHash } };
}
