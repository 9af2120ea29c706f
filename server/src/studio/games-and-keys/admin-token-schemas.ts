import { Type } from 'typebox';
import { nullable, successOf, Time } from '../../platform/admin-api/admin-responses.js';
import { listResponse } from '../../platform/admin-api/page-cursor.js';
import { TEXT_FORMS } from '../../platform/lib/text-forms.js';
import { RoleSchema } from '../admin-api/role-schema.js';

/** Requests and responses of the routes of admin tokens. */

const ID_EXAMPLE = '3f9a1c0b7d2e4f68';
export const MAX_TOKEN_DAYS = 3_650;
export const MAX_TOKEN_NAME = 100;

const AdminTokenSchema = Type.Object(
  {
    tokenId: Type.String(),
    name: Type.String({ description: 'The name of the token in the audit log' }),
    role: RoleSchema,
    createdAt: Time('When the token was created'),
    expiresAt: nullable(Time('When the token expires; null: never')),
    revokedAt: nullable(Time('When the token was revoked')),
    state: Type.Union([Type.Literal('active'), Type.Literal('expired'), Type.Literal('revoked')]),
  },
  { title: 'AdminToken' },
);

export const AdminTokenParameters = Type.Object({
  tokenId: Type.String({ description: 'Id of the token', examples: [ID_EXAMPLE] }),
});

export const AdminTokensResponse = listResponse('AdminTokensResponse', 'tokens', AdminTokenSchema, {
  example: {
    tokenId: ID_EXAMPLE,
    name: 'Nightly export',
    role: 'viewer',
    createdAt: '2026-11-15T12:00:00.000Z',
    expiresAt: null,
    revokedAt: null,
    state: 'active',
  },
});

export const NewAdminTokenBody = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: MAX_TOKEN_NAME,
      pattern: TEXT_FORMS.name.pattern,
      description: 'The name of the token in the audit log',
    }),
    role: RoleSchema,
    expiresDays: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_TOKEN_DAYS,
        description: 'If left out, the token works until it is revoked',
      }),
    ),
  },
  {
    title: 'NewAdminTokenRequest',
    examples: [{ name: 'Nightly export', role: 'viewer', expiresDays: 90 }],
  },
);

export const CreatedAdminTokenResponse = successOf(
  'CreatedAdminTokenResponse',
  Type.Object({
    tokenId: Type.String(),
    token: Type.String({ description: 'Shown once. To be sent as `Authorization: Bearer …`.' }),
  }),
  {
    example: {
      tokenId: ID_EXAMPLE,
      token: 'sp_admin_3f9a1c0b7d2e4f68_w4Yc1sX8kQ2nR7tV0bZ5mH3jL6pD9fGaE1uIoKyTqWc',
    },
  },
);

export const RevokedAdminTokenResponse = successOf(
  'RevokedAdminTokenResponse',
  Type.Object({ tokenId: Type.String() }),
  { example: { tokenId: ID_EXAMPLE } },
);
