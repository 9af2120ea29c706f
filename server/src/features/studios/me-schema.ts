import { type Static, Type } from 'typebox';
import { nullable, successOf, Time } from '../../http/admin-responses.js';
import { RoleSchema } from './role-schema.js';

/** Who asks: a person with an account, or the holder of an admin token. */

export const AccountSchema = Type.Object(
  {
    accountId: Type.String({ format: 'uuid' }),
    email: Type.String(),
    name: Type.String({ description: 'What the audit log calls the person' }),
    hasPassword: Type.Boolean({
      description: 'False until the first password is set, after a sign-in by link',
    }),
    hasSecondFactor: Type.Boolean(),
  },
  { title: 'Account' },
);

type AccountResponse = Static<typeof AccountSchema>;

/** The members of an account that the API shows; all others stay internal. */
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
    name: Type.String({ description: 'What the audit log calls the holder' }),
    role: RoleSchema,
    tenantId: Type.String({ description: 'The studio' }),
    expiresAt: nullable(Time('When the token or the session ends, if it does')),
    account: nullable(AccountSchema),
    studios: Type.Array(StudioSchema, {
      description:
        'Those that `X-Tenant-ID` may name, by the time of joining; of a token its only one. At most 100.',
    }),
    csrfToken: nullable(
      Type.String({ description: 'To be sent as `X-CSRF-Token`; null for a token, which needs none' }),
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
