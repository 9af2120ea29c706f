import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors.js';

/**
 * A web page can make its own host name resolve to 127.0.0.1 or to a private address (DNS rebinding). An operator's browser
 * then treats this listener as part of that page. The page cannot change the name in `Host`, so names that are not allowed
 * are refused. Addresses are no names: probes and scrapers that use the address of a pod need no setting. A request without
 * `Host` (HTTP/1.0) does not come from a browser.
 */
export function registerHostCheck(app: FastifyInstance, allowedHosts: readonly string[]): void {
  const allowed = new Set(allowedHosts.map(withoutFinalDot));
  app.addHook('onRequest', async ({ headers }) => {
    const name = hostNameOf(headers.host ?? '');
    if (name === '' || isAddress(name) || isLoopbackName(name) || allowed.has(name)) return;
    throw new ApiError('host_not_allowed', {
      message: `The operations listener does not serve the host name ${JSON.stringify(name)}. If it is yours, add it to SAVEPOINT_OPS_ALLOWED_HOSTS.`,
    });
  });
}

/** `Ops.Example.com.:8081` is `ops.example.com`; of `[::1]:8081` the brackets stay. */
export function hostNameOf(host: string): string {
  return withoutFinalDot(host.replace(/:\d*$/, ''));
}

function withoutFinalDot(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

function isAddress(name: string): boolean {
  return isIP(name) === 4 || (/^\[.*\]$/.test(name) && isIP(name.slice(1, -1)) === 6);
}

/** Browsers resolve these themselves, always to this machine (RFC 6761). */
function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}
