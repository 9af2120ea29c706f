import type { FastifyReply, FastifyRequest } from 'fastify';

/** Of cookies that only this service reads, on this host only. */
type CookieOptions = Readonly<{ path: string; maxAgeSeconds: number }>;

/** The value of a cookie; undefined if it is not sent, or sent more than once. */
export function cookieOf({ headers }: FastifyRequest, name: string): string | undefined {
  const values = (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return values.length === 1 ? values[0] : undefined;
}

/**
 * Scripts cannot read the cookie, and pages of other sites cannot send it. Over https it is `Secure`, so it is never sent
 * over plain HTTP. The value must consist of letters, digits, `.`, `-` and `_`.
 */
export function setCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  value: string,
  { path, maxAgeSeconds }: CookieOptions,
): void {
  // TLS may end at a proxy that is not trusted to say so. The browser still names the scheme in `Origin`.
  const isSecure = request.protocol === 'https' || request.headers.origin?.startsWith('https://') === true;
  const secure = isSecure ? '; Secure' : '';
  reply.header(
    'set-cookie',
    `${name}=${value}; Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`,
  );
}
