import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DAY_MS } from '../../platform/lib/day.js';
import { type MasterKeys, seal, unseal } from '../../platform/security/master-keys.js';
import { cookieOf, setCookie } from '../admin-api/cookies.js';

/**
 * A device that has signed in to an account is remembered by a cookie, which outlives the session. The cookie gives no access: it
 * only keeps the device from waiting for the wrong guesses of other devices (OWASP: device cookie). It is sealed under the master
 * key, so the server stores nothing, and only the server can make one.
 */
const COOKIE = 'savepoint_device';
const PATH = '/admin/v1/';
const LIFETIME_MS = 180 * DAY_MS;
const BOUND_TO = 'known device';

type Device = { emailKey: string; deviceId: string; untilMs: number };

/** The id of the device, if it has signed in to this account before. */
export function knownDevice(
  masterKeys: MasterKeys,
  request: FastifyRequest,
  emailKey: string,
  nowMs: number,
): string | undefined {
  const cookie = cookieOf(request, COOKIE);
  const device = cookie === undefined ? undefined : open(masterKeys, cookie);
  if (device === undefined || device.emailKey !== emailKey || device.untilMs <= nowMs) return undefined;
  return device.deviceId;
}

export function rememberDevice(
  masterKeys: MasterKeys,
  request: FastifyRequest,
  reply: FastifyReply,
  emailKey: string,
  nowMs: number,
): void {
  const deviceId = randomBytes(16).toString('base64url');
  const device: Device = { emailKey, deviceId, untilMs: nowMs + LIFETIME_MS };
  const value = seal(masterKeys, JSON.stringify(device), BOUND_TO).toString('base64url');
  setCookie(request, reply, COOKIE, value, { path: PATH, maxAgeSeconds: LIFETIME_MS / 1_000 });
}

/** Undefined if the cookie cannot be unsealed: it may be of another installation, or older than the master key. */
function open(masterKeys: MasterKeys, cookie: string): Device | undefined {
  try {
    return JSON.parse(unseal(masterKeys, Buffer.from(cookie, 'base64url'), BOUND_TO).toString()) as Device;
  } catch {
    return undefined;
  }
}
