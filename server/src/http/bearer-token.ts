import type { IncomingMessage } from 'node:http';
import { ApiError } from '../errors.js';

export const CREDENTIAL_HEADERS: ReadonlySet<string> = new Set(['authorization', 'content-length']);

/** Another scheme, or `Bearer` with nothing behind it, is no token at all: RFC 6750 wants no error code for these. */
export function bearerToken(authorization: string | undefined): string {
  const [, token] = /^Bearer +(.+)$/i.exec(authorization?.trim() ?? '') ?? [];
  if (token === undefined) throw new ApiError('token_missing');
  if (!/^[A-Za-z0-9._~+/-]+=*$/.test(token)) throw new ApiError('token_invalid');
  return token;
}

/** Node keeps the first of repeated headers, or joins them; either way somebody else would read another one. */
export function refuseRepeatedHeaders(
  { rawHeaders, headers }: IncomingMessage,
  names: ReadonlySet<string>,
): void {
  let different = 0;
  for (const _ in headers) different++;
  // Nearly always: none is repeated, so there are no names to compare.
  if (rawHeaders.length === different * 2) return;
  let seen = '';
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    if (!names.has(name)) continue;
    if (seen.includes(`|${name}|`)) {
      throw new ApiError('header_invalid', { message: `The header ${name} is sent more than once.` });
    }
    seen += `|${name}|`;
  }
}
