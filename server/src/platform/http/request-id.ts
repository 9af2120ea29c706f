import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const VALID = /^[A-Za-z0-9._:-]{1,128}$/;
const prefix = randomBytes(6).toString('base64url');
let counter = 0;

/** A valid inbound id is echoed, so that a game can follow its request through our logs; else one is made. */
export function requestId(request: IncomingMessage): string {
  const inbound = request.headers['x-request-id'];
  if (typeof inbound === 'string' && VALID.test(inbound)) return inbound;
  return newRequestId();
}

export function newRequestId(): string {
  counter += 1;
  return `${prefix}-${counter.toString(36)}`;
}
