import { ApiError } from '../errors.js';

/** Another scheme, or `Bearer` with nothing behind it, is no token at all: RFC 6750 wants no error code for these. */
export function bearerToken(authorization: string | undefined): string {
  const [, token] = /^Bearer +(.+)$/i.exec(authorization?.trim() ?? '') ?? [];
  if (token === undefined) throw new ApiError('token_missing');
  if (!/^[A-Za-z0-9._~+/-]+=*$/.test(token)) throw new ApiError('token_invalid');
  return token;
}
