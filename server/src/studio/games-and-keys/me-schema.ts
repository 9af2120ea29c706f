import { type Static, Type } from 'typebox';
import { nullable, successOf, Time } from '../../platform/admin-api/admin-responses.js';
import { MAX_STUDIOS } from '../admin-api/admin-sessions.js';
import { RoleSchema } from '../admin-api/role-schema.js';

/** The sender of a request: a person with an account, or an admin token. */

export const AccountSchema = Type.Object(
  {
    accountId: Type.String({ format: 'uuid' }),
    email: Type.String(),
    name: Type.String({ description: 'The name of the person in the audit log' }),
    hasPassword: Type.Boolean({
      description: 'False after a sign-in by link, until a password is set',
    }),
    hasSecondFactor: Type.Boolean(),
  },
  { title: 'Account' },
);

type AccountResponse = Static<typeof AccountSchema>;

/** Only the members of an account that the API shows. */
export function accountResponse(known: AccountResponse): AccountResponse {
  const { accountId, email, name, hasPassword, hasSecondFactor } = known;
  return { accountId, email, name, hasPassword, hasSecondFactor };
}

export const StudioSchema = Type.Object(
  {
    tenantId: Type.String({ description: 'To be sent as `X-Tenant-ID`' }),
    name: Type.String(),
    role: RoleSchema,
  },
  { title: 'StudioOfAccount' },
);
export const STUDIO_EXAMPLE = { tenantId: 'demo-studio', name: 'Demo Studio', role: 'owner' as const };

export const MeResponse = successOf(
  'MeResponse',
  Type.Object({
    tokenId: nullable(Type.String({ description: 'The admin token; null for an account' })),
    name: Type.String({ description: 'The name of the person or the token in the audit log' }),
    role: RoleSchema,
    tenantId: Type.String({ description: 'The studio' }),
    expiresAt: nullable(Time('When the token or the session ends; null: never')),
    account: nullable(AccountSchema),
    studios: Type.Array(StudioSchema, {
      description: `The studios that \`X-Tenant-ID\` may name, by the time of joining, ${MAX_STUDIOS} at most. A token has one studio.`,
    }),
    csrfToken: nullable(
      Type.String({ description: 'To be sent as `X-CSRF-Token`; null for an admin token, which needs none' }),
    ),
    environment: Type.Union([Type.Literal('development'), Type.Literal('production')]),
  }),
  {
    example: {
      tokenId: '3f9a1c0b7d2e4f68',
      name: 'Ada',
      role: 'owner',
      tenantId: 'demo-studio',
      expiresAt: null,
      account: null,
      studios: [STUDIO_EXAMPLE],
      csrfToken: null,
      environment: 'development',
    },
  },
);
