import type { SignedLogin } from '../wire.js';
import { toBase64 } from './base64.js';

/**
 * What {@link signLogin} signs. Without `timestamp` the time of this server.
 *
 * @example
 * ```ts
 * const options: SignOptions = { apiKey: 'dev-key', apiSecret: 'dev-secret', deviceId: 'my-device' };
 * ```
 */
export type SignOptions = { apiKey: string; apiSecret: string; deviceId: string; timestamp?: string };

/**
 * Signs a login for a device. Call it on your own server only: the secret must not be in a game.
 *
 * @example
 * ```ts
 * import { signLogin } from '@savepoint/client/server';
 *
 * const { SAVEPOINT_API_KEY: apiKey, SAVEPOINT_API_SECRET: apiSecret } = process.env;
 * const login = await signLogin({ apiKey, apiSecret, deviceId: 'my-device' });
 * ```
 */
export async function signLogin({ apiKey, apiSecret, deviceId, ...rest }: SignOptions): Promise<SignedLogin> {
  const timestamp = rest.timestamp ?? `${new Date().toISOString().slice(0, 19)}Z`;
  const encoder = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(apiSecret), algorithm, false, ['sign']);
  const digest = await crypto.subtle.sign('HMAC', key, encoder.encode(`${apiKey}|${deviceId}|${timestamp}`));
  return { apiKey, deviceId, timestamp, signature: toBase64(new Uint8Array(digest)) };
}
