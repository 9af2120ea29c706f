import { Type } from 'typebox';
import { nullable, successOf, Time } from '../../platform/admin-api/admin-responses.js';
import { listResponse, NextCursor } from '../../platform/admin-api/page-cursor.js';
import { RoleSchema } from '../admin-api/role-schema.js';
import { Email, GivenPassword, LinkToken, PersonName, SignInCode, TOKEN_EXAMPLE } from './account-schemas.js';

/** Requests and responses of the routes of members and invitations. */

const ID_EXAMPLE = '0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a';

const Member = Type.Object(
  {
    accountId: Type.String({ format: 'uuid' }),
    email: Type.String(),
    name: Type.String(),
    role: RoleSchema,
    joinedAt: Time('When the member joined'),
    hasSecondFactor: Type.Boolean(),
  },
  { title: 'Member' },
);
const MEMBER_EXAMPLE = {
  accountId: ID_EXAMPLE,
  email: 'ada@studio.example',
  name: 'Ada',
  role: 'owner' as const,
  joinedAt: '2026-11-15T12:00:00.000Z',
  hasSecondFactor: true,
};

export const MemberParameters = Type.Object({
  accountId: Type.String({ format: 'uuid', description: 'The account of the member' }),
});
export const InvitationParameters = Type.Object({
  invitation: Type.String({ format: 'uuid', description: '`invitationId`' }),
});

export const MembersResponse = listResponse('MembersResponse', 'members', Member, {
  example: MEMBER_EXAMPLE,
});

/** The rights that a member has given to others as an owner. */
const handedOut = {
  invitationsWithdrawn: Type.Integer({
    description: 'How many open invitations of the member were withdrawn',
  }),
  adminTokens: Type.Array(
    Type.Object(
      {
        tokenId: Type.String(),
        name: Type.String(),
        role: RoleSchema,
        expiresAt: nullable(Time('When the token expires; null: never')),
      },
      { title: 'AdminTokenOfMember' },
    ),
    { description: 'Admin tokens that the member has made and that still work; empty for an owner' },
  ),
};
const HANDED_OUT_EXAMPLE = {
  invitationsWithdrawn: 1,
  adminTokens: [
    { tokenId: '3f9a1c0b7d2e4f68', name: 'Nightly export', role: 'viewer' as const, expiresAt: null },
  ],
};

export const ChangedMemberResponse = successOf(
  'ChangedMemberResponse',
  Type.Object({ ...Member.properties, ...handedOut }),
  { example: { ...MEMBER_EXAMPLE, role: 'editor' as const, ...HANDED_OUT_EXAMPLE } },
);

export const RemovedMemberResponse = successOf(
  'RemovedMemberResponse',
  Type.Object({ accountId: Type.String({ format: 'uuid' }), ...handedOut }),
  { example: { accountId: ID_EXAMPLE, ...HANDED_OUT_EXAMPLE } },
);

export const MemberBody = Type.Object(
  { role: RoleSchema },
  { title: 'MemberRequest', examples: [{ role: 'editor' }] },
);

const Invitation = Type.Object(
  {
    invitationId: Type.String({ format: 'uuid' }),
    email: Type.String(),
    role: RoleSchema,
    invitedBy: Type.String(),
    createdAt: Time('When the invitation was made'),
    expiresAt: Time('When the invitation expires'),
  },
  { title: 'Invitation' },
);
const INVITATION_EXAMPLE = {
  invitationId: ID_EXAMPLE,
  email: 'grace@studio.example',
  role: 'editor' as const,
  invitedBy: 'Ada',
  createdAt: '2026-11-15T12:00:00.000Z',
  expiresAt: '2026-11-22T12:00:00.000Z',
};

export const InvitationsResponse = successOf(
  'InvitationsResponse',
  Type.Object({ invitations: Type.Array(Invitation), nextCursor: NextCursor }),
  {
    description: 'The invitations that can still be accepted.',
    example: { invitations: [INVITATION_EXAMPLE], nextCursor: null },
  },
);

export const InvitationBody = Type.Object(
  { email: Email, role: RoleSchema },
  {
    title: 'InvitationRequest',
    examples: [{ email: 'grace@studio.example', role: 'editor' }],
  },
);

export const CreatedInvitationResponse = successOf(
  'CreatedInvitationResponse',
  Type.Object({
    invitation: Invitation,
    token: Type.String({ description: 'Shown once' }),
    path: Type.String({
      description:
        'The link, without the address of the console. Send it to the person yourself: the service sends no mail.',
    }),
  }),
  {
    example: {
      invitation: INVITATION_EXAMPLE,
      token: TOKEN_EXAMPLE,
      path: `/console/invitation#token=${TOKEN_EXAMPLE}`,
    },
  },
);

export const RevokedInvitationResponse = successOf(
  'RevokedInvitationResponse',
  Type.Object({ invitationId: Type.String({ format: 'uuid' }) }),
  { example: { invitationId: ID_EXAMPLE } },
);

export const ShowInvitationBody = Type.Object(
  { token: LinkToken },
  {
    title: 'ShowInvitationRequest',
    examples: [{ token: TOKEN_EXAMPLE }],
  },
);

export const ShownInvitationResponse = successOf(
  'ShownInvitationResponse',
  Type.Object({
    email: Type.String(),
    role: RoleSchema,
    studio: Type.String({ description: 'The name of the studio' }),
    invitedBy: Type.String(),
    expiresAt: Time('When the invitation expires'),
  }),
  {
    example: {
      email: 'grace@studio.example',
      role: 'editor',
      studio: 'Demo Studio',
      invitedBy: 'Ada',
      expiresAt: '2026-11-22T12:00:00.000Z',
    },
  },
);

export const AcceptInvitationBody = Type.Object(
  {
    token: LinkToken,
    name: Type.Optional(PersonName),
    password: GivenPassword,
    code: Type.Optional(SignInCode),
  },
  {
    title: 'AcceptInvitationRequest',
    description:
      'Without an account, `name` and a new `password` make one. With an account, leave `name` out: `password` (and `code`) are those of the account.',
    examples: [
      {
        token: TOKEN_EXAMPLE,
        name: 'Grace',
        password: 'nine purple otters sing',
      },
    ],
  },
);
