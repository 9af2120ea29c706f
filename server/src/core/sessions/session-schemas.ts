import { Type } from 'typebox';
import { PlayerConfig, STATUS_EXAMPLE, STORE_EXAMPLE } from '../players/player-schemas.js';
import { MAX_DEVICE_ID_LENGTH } from './device-id.js';

/** Credentials have no maximum length of their own: any that is not ours gets 401, and the body limit bounds them all. */
export const LoginBody = Type.Object(
  {
    apiKey: Type.String({ minLength: 1, description: 'API key issued to the studio' }),
    deviceId: Type.String({
      minLength: 1,
      maxLength: MAX_DEVICE_ID_LENGTH,
      description: 'Unique device identifier chosen by the client; no control characters',
    }),
    timestamp: Type.String({ description: 'Current UTC time, YYYY-MM-DDThh:mm:ssZ' }),
    signature: Type.String({ description: 'Base64 of HMAC-SHA256(secret, "apiKey|deviceId|timestamp")' }),
  },
  {
    title: 'LoginRequest',
    examples: [
      {
        apiKey: 'dev-key',
        deviceId: 'device-1',
        timestamp: '2026-11-15T12:00:00Z',
        signature: 'To/7R5lSGfYIUjr2alEJ0DglgGH2OwkzGpCnLCIn0lc=',
      },
    ],
  },
);

const REFRESH_TOKEN = 'AZnBonU8fU6PWmt8jZ4PGhq0u7mEJ5yXk2Vw1cR8nDfTgLhPzQsMvB3xY6aKoHtJ';

export const RefreshBody = Type.Object(
  { refreshToken: Type.String({ description: 'Of the last login or refresh' }) },
  { title: 'RefreshRequest', examples: [{ refreshToken: REFRESH_TOKEN }] },
);

export const LogoutBody = Type.Union(
  [
    Type.Object(
      {
        refreshToken: Type.Optional(
          Type.String({ description: "Ends this token's session too, if it is one of the same player's" }),
        ),
        allDevices: Type.Optional(Type.Boolean({ description: 'End every session of the player' })),
      },
      { title: 'LogoutRequest' },
    ),
    Type.Null(),
  ],
  { examples: [{ allDevices: true }] },
);

export const SessionResponse = Type.Object(
  {
    accessToken: Type.String({ description: 'JWT used as bearer token' }),
    refreshToken: Type.String({
      description: 'Token used to obtain new tokens; opaque, rotated at every use',
    }),
    tokenType: Type.Literal('Bearer'),
    expiresIn: Type.Number({ description: 'Lifetime of the access token in seconds' }),
    userId: Type.String({ description: 'Service-assigned player identifier' }),
    deviceId: Type.String({ description: 'Echo of the device identifier sent' }),
    gameId: Type.String({ description: 'Game the session belongs to' }),
    tenantId: Type.String({ description: 'Tenant (studio) the session belongs to' }),
    playerConfig: PlayerConfig,
  },
  {
    title: 'SessionResponse',
    description: 'Tokens, and everything the player is told at the start of a session.',
    examples: [
      {
        accessToken: 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiIwMTk5YzFhMiJ9.c2lnbmF0dXJl',
        refreshToken: REFRESH_TOKEN,
        tokenType: 'Bearer',
        expiresIn: 3600,
        userId: '0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a',
        deviceId: 'device-1',
        gameId: 'demo-game',
        tenantId: 'demo-studio',
        playerConfig: { playerStatus: STATUS_EXAMPLE, storeConfig: STORE_EXAMPLE },
      },
    ],
  },
);

export const LogoutResponse = Type.Object(
  {
    data: Type.Object({ revokedSessions: Type.Integer({ description: 'How many sessions this ended' }) }),
    status: Type.Literal('success'),
  },
  {
    title: 'LogoutResponse',
    description: 'From now on every node refuses the tokens of these sessions.',
    examples: [{ data: { revokedSessions: 1 }, status: 'success' }],
  },
);

export const JwksResponse = Type.Object(
  {
    keys: Type.Array(
      Type.Object({
        kty: Type.Literal('EC'),
        crv: Type.Literal('P-256'),
        x: Type.String(),
        y: Type.String(),
        kid: Type.String(),
        alg: Type.Literal('ES256'),
        use: Type.Literal('sig'),
      }),
    ),
  },
  {
    title: 'JsonWebKeySet',
    description: 'RFC 7517. Retired keys stay until the last token they signed has expired.',
    examples: [
      {
        keys: [
          {
            kty: 'EC',
            crv: 'P-256',
            x: '2_BTKNYmlYOAOVVJAIN2yk9dFfEKQNmybirl-M6Xors',
            y: 'WX736K6WnWm4g3jPxNmp5Msk-oC0xPtygpOf_M8YdJc',
            kid: '2sdRwFFhuHam4zbYnKWN_ru0PpfGEB7ocAIdlKHlBAo',
            alg: 'ES256',
            use: 'sig',
          },
        ],
      },
    ],
  },
);
