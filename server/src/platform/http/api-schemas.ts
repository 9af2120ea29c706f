// Adds `operationId`, `tags` and the like to Fastify's type of a route schema.
import type {} from '@fastify/swagger';
import { type TSchema, Type } from 'typebox';
import { ERRORS, type ErrorCode } from '../errors.js';

/**
 * Documentation shared by the routes: error responses and headers. A schema with a `title` stands once in the API document,
 * under that name; `x-examples` are its named examples. Neither changes what is accepted or sent.
 */

const StringError = Type.Object(
  {
    error: Type.String({ description: 'A sentence for the developer; it may be reworded.' }),
    code: Type.String({ description: 'A permanent code to switch on.' }),
    serverTime: Type.Optional(
      Type.String({
        description:
          'Only with `timestamp_out_of_window`: the time to sign again with, YYYY-MM-DDThh:mm:ssZ.',
      }),
    ),
  },
  { title: 'StringError', description: 'The string form: everything under /auth/, and every 401 anywhere.' },
);

export const Rejection = Type.Object(
  {
    index: Type.Integer({ description: 'Position of the event in the batch, from 0.' }),
    code: Type.String({ description: 'A permanent code; the guide lists them.' }),
    message: Type.String({ description: 'A sentence for the developer.' }),
  },
  { title: 'RejectedEvent', description: 'An event that was not accepted, and why.' },
);

const GeneralError = Type.Object(
  {
    error: Type.Object({
      code: Type.String({ description: 'A permanent code to switch on.' }),
      message: Type.String({ description: 'A sentence for the developer; it may be reworded.' }),
      rejected: Type.Optional(
        Type.Array(Rejection, { description: 'Only with `events_rejected`: the reason for each event.' }),
      ),
      maxEvents: Type.Optional(Type.Integer({ description: 'Only with `batch_too_large`.' })),
    }),
    status: Type.Literal('error'),
  },
  { title: 'GeneralError', description: 'The general form.' },
);

/** The general form of an API, and what some errors carry besides code and sentence, as examples. */
export type ErrorForm = Readonly<{
  schema: TSchema;
  details: Partial<Record<ErrorCode, Record<string, unknown>>>;
}>;

const DETAILS: ErrorForm['details'] = {
  timestamp_out_of_window: { serverTime: '2026-11-15T12:00:00Z' },
  events_rejected: {
    rejected: [
      { index: 0, code: 'timestamp_malformed', message: 'timestamp must be RFC 3339 with a zone.' },
      { index: 1, code: 'payload_invalid', message: 'payload must be an object.' },
    ],
  },
  batch_too_large: { maxEvents: 500 },
};
const PLAYER_FORM: ErrorForm = { schema: GeneralError, details: DETAILS };

const RETRY_AFTER = {
  'Retry-After': Type.Integer({ description: 'Seconds to wait before the next try.', examples: [1] }),
};

const ERROR_HEADERS = new Map<number, Record<string, unknown>>([
  [
    401,
    {
      'WWW-Authenticate': Type.String({
        description: '`Bearer`, with `error="invalid_token"` unless no token was sent at all.',
        examples: ['Bearer error="invalid_token"'],
      }),
    },
  ],
  [429, RETRY_AFTER],
  [503, RETRY_AFTER],
]);

/** The error responses of a route for the API reference, one per status, with the codes that it may carry. */
export function errorResponses(
  form: 'auth' | 'data',
  codes: readonly ErrorCode[],
  general: ErrorForm = PLAYER_FORM,
): Record<number, unknown> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => {
      const isString = form === 'auth' || status === 401;
      const schema = isString ? StringError : general.schema;
      const headers = ERROR_HEADERS.get(status);
      return [
        status,
        {
          ...schema,
          ...(headers === undefined ? {} : { headers }),
          'x-response-description': ofStatus.map((code) => `\`${code}\``).join(', '),
          'x-examples': Object.fromEntries(
            ofStatus.map((code) => [code, example(isString, code, general.details[code])]),
          ),
        },
      ];
    }),
  );
}

function example(
  stringForm: boolean,
  code: ErrorCode,
  details: Record<string, unknown> | undefined,
): { summary: string; value: unknown } {
  const { message } = ERRORS[code];
  return {
    summary: code,
    value: stringForm
      ? { error: message, code, ...details }
      : { error: { code, message, ...details }, status: 'error' },
  };
}

const TENANT_HEADER = {
  'X-Tenant-ID': Type.String({ description: '`tenantId` of the login response', examples: ['demo-studio'] }),
};
const PLAYER_HEADERS = {
  ...TENANT_HEADER,
  'X-Game-Id': Type.String({ description: '`gameId` of the login response', examples: ['demo-game'] }),
  'X-Player-Id': Type.String({
    description: '`userId` of the login response',
    examples: ['0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a'],
  }),
};

/** Headers of the routes; `Authorization` is documented by `security: BEARER`. */
export const EventHeaders = Type.Object({
  ...TENANT_HEADER,
  'X-Client-Build': Type.Optional(
    Type.String({
      maxLength: 64,
      description:
        'Which build of the game sends this: shown to the studio with events that were rejected or lost.',
      examples: ['1.42.0+3817'],
    }),
  ),
  'X-Install-Id': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description:
        'A random id that the client makes once per installation and sends with numbered events (`seq`).',
      examples: ['5f0c9d1e-8a53-4c1b-9a55-2d0f7b6c3e21'],
    }),
  ),
});
export const PlayerHeaders = Type.Object(PLAYER_HEADERS);
const CACHE_HEADER = {
  'If-None-Match': Type.Optional(
    Type.String({ description: 'The `ETag` of the last response: 304 when nothing has changed since.' }),
  ),
};
/** For responses that carry an `ETag`. */
export const CachedPlayerHeaders = Type.Object({ ...PLAYER_HEADERS, ...CACHE_HEADER });

/** The 304 of a response with an `ETag`. */
export const NotModified = Type.Null({
  description: 'Nothing has changed since the response with this `ETag`.',
});
export const ETAG_HEADER = {
  ETag: Type.String({ description: 'To be sent as `If-None-Match` next time.' }),
};

/** Headers of the routes for the studio's own servers. */
export const ServerHeaders = Type.Object(TENANT_HEADER);
export const CachedServerHeaders = Type.Object({ ...TENANT_HEADER, ...CACHE_HEADER });
export const SERVER_KEY: readonly Record<string, string[]>[] = [{ serverKey: [] }];

export const BEARER: readonly Record<string, string[]>[] = [{ bearer: [] }];

/** What any route that takes a body may return when it cannot read it. */
export const BODY_ERRORS = [
  'body_invalid',
  'invalid_json',
  'invalid_utf8',
  'encoding_invalid',
  'body_too_large',
  'unsupported_media_type',
  'unsupported_encoding',
] as const satisfies readonly ErrorCode[];

/** What any guarded route may return besides its own errors. */
export const GUARD_ERRORS = [
  'token_missing',
  'token_invalid',
  'token_expired',
  'session_ended',
  'header_invalid',
  'rate_limited',
  'internal',
  'unavailable',
] as const satisfies readonly ErrorCode[];

export const TENANT_GUARD_ERRORS = [
  ...GUARD_ERRORS,
  'header_missing',
  'tenant_mismatch',
] as const satisfies readonly ErrorCode[];

/** What any route for the studio's own servers may return besides its own errors. */
export const SERVER_GUARD_ERRORS = [
  'token_missing',
  'token_invalid',
  'server_key_in_browser',
  'scope_missing',
  'header_missing',
  'header_invalid',
  'tenant_mismatch',
  'rate_limited',
  'internal',
  'unavailable',
] as const satisfies readonly ErrorCode[];

export const PLAYER_GUARD_ERRORS = [
  ...TENANT_GUARD_ERRORS,
  'game_mismatch',
  'player_mismatch',
] as const satisfies readonly ErrorCode[];
