import { Type } from 'typebox';
import { SERVER_SCOPES } from '../../core/sessions/api-key-queries.js';
import { GameParameters, nullable, successOf, Time } from '../../platform/admin-api/admin-responses.js';
import { listResponse } from '../../platform/admin-api/page-cursor.js';
import { TEXT_FORMS } from '../../platform/lib/text-forms.js';

/** Requests and responses of the routes of API keys. */

const KEY_EXAMPLE = 'sp_live_5b1c9d0e7f2a4b6c8d0e1f2a';
/** 90 days. For a longer time, create a second key. */
export const MAX_OVERLAP_HOURS = 2_160;

const EnvironmentSchema = Type.Union([Type.Literal('production'), Type.Literal('development')], {
  description: 'A development key only works on installations for development',
});

const Label = Type.String({
  maxLength: 100,
  pattern: TEXT_FORMS.label.pattern,
  description: 'What the key is for',
});

const Kind = Type.Union([Type.Literal('client'), Type.Literal('server')], {
  description:
    'client: games sign their logins with it. server: your own servers send it as `Authorization: Bearer …`',
});

const Scopes = Type.Array(Type.Union(SERVER_SCOPES.map((scope) => Type.Literal(scope))), {
  maxItems: SERVER_SCOPES.length,
  uniqueItems: true,
  description: 'What a server key may do; a client key has none',
});

const ApiKeySchema = Type.Object(
  {
    apiKey: Type.String(),
    kind: Kind,
    environment: EnvironmentSchema,
    label: Label,
    scopes: Scopes,
    lastUsedAt: nullable(Time('When a server key was last used, to the minute')),
    lastUsedFrom: nullable(Type.String({ description: 'The address that it was last used from' })),
    createdAt: Time('When the key was created'),
    expiresAt: nullable(
      Time('From this time on the key opens no session or is refused; null: no end is set'),
    ),
    revokedAt: nullable(Time('When the key was revoked')),
    state: Type.Union(
      [Type.Literal('active'), Type.Literal('ending'), Type.Literal('expired'), Type.Literal('revoked')],
      { description: 'ending: the key works until `expiresAt`' },
    ),
  },
  { title: 'ApiKey' },
);

export const KeyParameters = Type.Object({
  ...GameParameters.properties,
  apiKey: Type.String({ description: 'Id of the key', examples: [KEY_EXAMPLE] }),
});

export const KeysResponse = listResponse('KeysResponse', 'keys', ApiKeySchema, {
  example: {
    apiKey: KEY_EXAMPLE,
    kind: 'client',
    environment: 'production',
    label: 'build 1.42',
    scopes: [],
    lastUsedAt: null,
    lastUsedFrom: null,
    createdAt: '2026-11-15T12:00:00.000Z',
    expiresAt: null,
    revokedAt: null,
    state: 'active',
  },
});

export const NewKeyBody = Type.Object(
  {
    kind: Type.Optional(Kind),
    environment: Type.Optional(EnvironmentSchema),
    label: Type.Optional(Label),
    scopes: Type.Optional(Scopes),
  },
  {
    title: 'NewKeyRequest',
    description:
      'By default it is a client key for production and has no label. A server key needs at least one scope.',
    examples: [{ environment: 'production', label: 'build 1.42' }],
  },
);

const newKey = {
  apiKey: Type.String(),
  apiSecret: Type.String({
    description: 'Shown once. The secret of a server key is the whole text that goes behind `Bearer`',
  }),
  kind: Kind,
  environment: EnvironmentSchema,
  label: Label,
  scopes: Scopes,
};
const NEW_KEY_EXAMPLE = {
  apiKey: KEY_EXAMPLE,
  apiSecret: 'w4Yc1sX8kQ2nR7tV0bZ5mH3jL6pD9fGaE1uIoKyTqWc',
  kind: 'client' as const,
  environment: 'production' as const,
  label: 'build 1.42',
  scopes: [],
};

export const CreatedKeyResponse = successOf('CreatedKeyResponse', Type.Object(newKey), {
  example: NEW_KEY_EXAMPLE,
});

export const RotateKeyBody = Type.Object(
  {
    overlapHours: Type.Integer({
      minimum: 0,
      maximum: MAX_OVERLAP_HOURS,
      description: 'How long the old key still works; 0: it ends now',
    }),
  },
  { title: 'RotateKeyRequest', examples: [{ overlapHours: 72 }] },
);

export const RotatedKeyResponse = successOf(
  'RotatedKeyResponse',
  Type.Object({
    ...newKey,
    former: Type.Object({ apiKey: Type.String(), expiresAt: Time('When the old key ends') }),
  }),
  {
    description: 'Sessions that were opened with the old key continue.',
    example: {
      ...NEW_KEY_EXAMPLE,
      former: { apiKey: 'sp_live_0a1b2c3d4e5f60718293a4b5', expiresAt: '2026-11-18T12:00:00.000Z' },
    },
  },
);

export const RevokeKeyParameters = Type.Object({
  endSessions: Type.Optional(
    Type.Union([Type.Literal('true'), Type.Literal('false')], {
      description: 'true: also ends every session that was opened with the key',
      default: 'false',
    }),
  ),
});

export const RevokedKeyResponse = successOf('RevokedKeyResponse', Type.Object({ apiKey: Type.String() }), {
  example: { apiKey: KEY_EXAMPLE },
});
