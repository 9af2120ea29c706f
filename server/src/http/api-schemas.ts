// Adds `operationId`, `tags` and the like to Fastify's type of a route schema.
import type {} from '@fastify/swagger';
import { Type } from 'typebox';
import { ERRORS, type ErrorCode } from '../errors.js';

/** Documentation shared by the routes: error answers and headers. */

const StringError = Type.Object(
  {
    error: Type.String({ description: 'A sentence for the developer.' }),
    code: Type.String({ description: 'A permanent code to switch on.' }),
  },
  { description: 'The string form: everything under /auth/, and every 401.' },
);

const GeneralError = Type.Object(
  {
    error: Type.Object({ code: Type.String(), message: Type.String() }),
    status: Type.Literal('error'),
  },
  { description: 'The general form.' },
);

/** The error answers of a route for the API reference, one per status, with the codes that it may carry. */
export function errorResponses(form: 'auth' | 'data', codes: readonly ErrorCode[]): Record<number, unknown> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => {
      const schema = form === 'auth' || status === 401 ? StringError : GeneralError;
      const examples = ofStatus.map((code) => example(schema === StringError, code));
      return [status, { ...schema, description: ofStatus.map((code) => `\`${code}\``).join(', '), examples }];
    }),
  );
}

function example(stringForm: boolean, code: ErrorCode): unknown {
  const { message } = ERRORS[code];
  return stringForm ? { error: message, code } : { error: { code, message }, status: 'error' };
}

const Authorization = Type.String({ description: 'Bearer <ACCESS_TOKEN>' });
const TenantId = Type.String({ description: 'tenantId of the login response', examples: ['demo-studio'] });

export const BearerHeader = Type.Object({ authorization: Authorization });
export const TenantHeaders = Type.Object({ authorization: Authorization, 'x-tenant-id': TenantId });
export const PlayerHeaders = Type.Object({
  authorization: Authorization,
  'x-tenant-id': TenantId,
  'x-game-id': Type.String({ description: 'gameId of the login response', examples: ['demo-game'] }),
  'x-player-id': Type.String({ description: 'userId of the login response' }),
});

export const BEARER: readonly Record<string, string[]>[] = [{ bearer: [] }];

/** What any guarded route may answer besides its own errors. */
export const GUARD_ERRORS = [
  'token_missing',
  'token_invalid',
  'token_expired',
  'session_ended',
  'rate_limited',
  'internal',
  'unavailable',
] as const satisfies readonly ErrorCode[];

export const PLAYER_GUARD_ERRORS = [
  ...GUARD_ERRORS,
  'header_missing',
  'header_invalid',
  'tenant_mismatch',
  'game_mismatch',
  'player_mismatch',
] as const satisfies readonly ErrorCode[];
