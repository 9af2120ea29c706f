import { Type } from 'typebox';

export const RoleSchema = Type.Union(
  [Type.Literal('viewer'), Type.Literal('editor'), Type.Literal('owner')],
  {
    description:
      'viewer reads; editor also changes and publishes; owner also decides on members, invitations, API keys, admin tokens and the settings of games',
  },
);
