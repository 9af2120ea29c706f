import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../platform/errors.js';

/**
 * Refuses a request that a web page of another origin makes a browser send. `SameSite=Strict` does not prevent it: to a
 * browser, all ports of localhost are one site. Browsers name the origin in `Sec-Fetch-Site`, or in `Origin` where that is
 * missing (plain HTTP to another machine). A request with neither does not come from a page.
 *
 * The scheme is not compared: behind a proxy that ends TLS, this process does not know its own scheme.
 */
export function refuseCrossOrigin({ headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  // `none`: the address was typed, or opened from a bookmark.
  if (site !== undefined ? site === 'same-origin' || site === 'none' : isOwn(headers.origin, headers.host))
    return;
  throw new ApiError('cross_origin');
}

function isOwn(origin: string | undefined, host: string | undefined): boolean {
  if (origin === undefined) return true;
  // `null` is the origin of a sandboxed page.
  if (host === undefined || !URL.canParse(origin)) return false;
  return new URL(origin).host === host.toLowerCase();
}
