import { Type } from 'typebox';
import { PlayerConfig } from '../player/player-schemas.js';

export const LoginBody = Type.Object(
  {
    apiKey: Type.String({ minLength: 1, maxLength: 256, description: 'API key issued to the studio' }),
    deviceId: Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'Unique device identifier chosen by the client; no control characters',
    }),
    timestamp: Type.String({ description: 'Current UTC time, YYYY-MM-DDThh:mm:ssZ' }),
    signature: Type.String({
      maxLength: 1024,
      description: 'Base64 of HMAC-SHA256(secret, "apiKey|deviceId|timestamp")',
    }),
  },
  {
    examples: [
      {
        apiKey: 'dev-key',
        deviceId: 'device-1',
        timestamp: '2026-11-15T12:00:00Z',
        signature: 'tlFPgMiSbDJ2vYh6yI1e1S6rE0qKZQqrUuzZqf1WkYU=',
      },
    ],
  },
);

export const RefreshBody = Type.Object({ refreshToken: Type.String({ maxLength: 1024 }) });

export const LogoutBody = Type.Union([
  Type.Object({
    refreshToken: Type.Optional(Type.String({ maxLength: 1024 })),
    allDevices: Type.Optional(Type.Boolean({ description: 'End every session of the player' })),
  }),
  Type.Null(),
]);

export const SessionResponse = Type.Object({
  accessToken: Type.String({ description: 'JWT used as bearer token' }),
  refreshToken: Type.String({ description: 'Token used to obtain new tokens' }),
  tokenType: Type.Literal('Bearer'),
  expiresIn: Type.Number({ description: 'Lifetime of the access token in seconds' }),
  userId: Type.String({ description: 'Service-assigned player identifier' }),
  deviceId: Type.String(),
  gameId: Type.String(),
  tenantId: Type.String(),
  playerConfig: PlayerConfig,
});

export const LogoutResponse = Type.Object({
  data: Type.Object({ revokedSessions: Type.Integer() }),
  status: Type.Literal('success'),
});

export const JwksResponse = Type.Object({
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
});
