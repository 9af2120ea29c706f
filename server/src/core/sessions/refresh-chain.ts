import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { takeRandomBytes } from '../../platform/lib/random-bytes.js';
import { UUID } from '../../platform/lib/uuid.js';

/**
 * Rotation of refresh tokens, as pure functions over the state in one session row.
 *
 *   token₀ ──HMAC(salt₀)──► token₁ ──HMAC(salt₁)──► token₂ (live)
 *   └──────── recent: used, within the grace period ────────┘ └ currentHash
 *
 * A successor is derived from the token that is presented and a salt that stays in the row. So a retry (lost
 * response, two threads racing) works out the very same successor, although the row holds only hashes and
 * salts: neither a dump of the database nor an old token alone yields a live token.
 *
 * The caller must make "read state, present, write state" atomic (row lock or compare-and-swap on `currentHash`). `now` is the
 * clock of the node that responds. If the next node's clock is behind, the grace period is longer by the difference; if it is
 * ahead, shorter. So the clocks of all nodes should agree to a second or two, which `savepoint doctor` checks.
 */

/** JSON-friendly: lives in a jsonb column. */
export type RecentRotation = {
  /** base64url SHA-256 of the secret that was used */
  usedHash: string;
  /** base64url, 32 random bytes */
  salt: string;
  /** epoch milliseconds */
  at: number;
};

export type RefreshState = {
  tagKey: Buffer;
  /** SHA-256 of the one secret that may rotate next */
  currentHash: Buffer;
  /** Oldest first. Always the unbroken end of the chain: an entry leads to the next one, the last to the live secret. */
  recent: RecentRotation[];
};

export type ParsedRefreshToken = { sessionId: string; secret: Buffer; tag: Buffer };

export type RefreshOutcome =
  /** Store `state`, hand out `token`. */
  | { kind: 'rotated'; state: RefreshState; token: string }
  /** Nothing to store; `token` is the live one. */
  | { kind: 'retried'; token: string }
  /** A token that we issued and that was used long ago: it was copied. End this session. */
  | { kind: 'reused' }
  /** Not a token of this session. Refuse it and change nothing: a guess must not end the session of another player. */
  | { kind: 'invalid' };

const SESSION_ID_BYTES = 16;
const SECRET_BYTES = 32;
const TAG_BYTES = 16;
const SALT_BYTES = 32;
const TOKEN_BYTES = SESSION_ID_BYTES + SECRET_BYTES + TAG_BYTES;
const TOKEN_CHARACTERS = Math.ceil((TOKEN_BYTES * 4) / 3);

/** A client that refreshes in a loop must not grow its row. No honest one rotates 32 times in a grace period. */
export const MAX_RECENT_ROTATIONS = 32;

export function firstToken(
  sessionId: string,
  random: (bytes: number) => Buffer = takeRandomBytes,
): { token: string; state: RefreshState } {
  const tagKey = random(32);
  const secret = random(SECRET_BYTES);
  return {
    token: formatToken(sessionId, secret, tagKey),
    state: { tagKey, currentHash: sha256(secret), recent: [] },
  };
}

/** Strict: exactly one text stands for a token, anything else is undefined. */
export function parseRefreshToken(text: string): ParsedRefreshToken | undefined {
  if (text.length !== TOKEN_CHARACTERS) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  // Node's decoder skips junk, takes both alphabets and ignores stray bits: only what reads back the same counts.
  if (bytes.length !== TOKEN_BYTES || bytes.toString('base64url') !== text) return undefined;
  return {
    sessionId: formatUuid(bytes.subarray(0, SESSION_ID_BYTES)),
    secret: bytes.subarray(SESSION_ID_BYTES, SESSION_ID_BYTES + SECRET_BYTES),
    tag: bytes.subarray(SESSION_ID_BYTES + SECRET_BYTES),
  };
}

/** @param salt 32 fresh random bytes; used only if the token rotates */
export function presentRefresh(
  state: RefreshState,
  presented: ParsedRefreshToken,
  now: number,
  graceMs: number,
  salt: Buffer,
): RefreshOutcome {
  if (salt.length !== SALT_BYTES) throw new RangeError(`The salt must have ${SALT_BYTES} bytes.`);
  // First the tag: past this line the token is known to be one that we issued for this session.
  if (!sameBytes(tagOf(state.tagKey, presented.secret), presented.tag)) return { kind: 'invalid' };

  const usedHash = sha256(presented.secret);
  if (sameBytes(usedHash, state.currentHash)) {
    const successor = successorOf(presented.secret, salt);
    const rotation = { usedHash: usedHash.toString('base64url'), salt: salt.toString('base64url'), at: now };
    return {
      kind: 'rotated',
      token: formatToken(presented.sessionId, successor, state.tagKey),
      state: {
        tagKey: state.tagKey,
        currentHash: sha256(successor),
        recent: [...withoutExpired(state.recent, now, graceMs), rotation].slice(-MAX_RECENT_ROTATIONS),
      },
    };
  }

  const position = state.recent.findIndex((rotation) => sameBytes(usedHash, decode(rotation.usedHash)));
  const rotation = state.recent[position];
  if (rotation === undefined || !withinGrace(rotation, now, graceMs)) return { kind: 'reused' };

  let secret = presented.secret;
  for (const link of state.recent.slice(position)) secret = successorOf(secret, decode(link.salt));
  // Cannot happen with a state written by this module. A damaged row is no sign of theft, so the session stays.
  if (!sameBytes(sha256(secret), state.currentHash)) return { kind: 'invalid' };
  return { kind: 'retried', token: formatToken(presented.sessionId, secret, state.tagKey) };
}

/**
 * Drops from the old end only, and stops at the first entry that is young enough. After a clock went backwards
 * a later entry may look older than an earlier one; dropping it would break the chain for the earlier one.
 */
function withoutExpired(recent: RecentRotation[], now: number, graceMs: number): RecentRotation[] {
  const firstYoung = recent.findIndex((rotation) => withinGrace(rotation, now, graceMs));
  return firstYoung === -1 ? [] : recent.slice(firstYoung);
}

/** A rotation in the future counts as just made: a longer grace period is better than a session ended by a wrong clock. */
function withinGrace(rotation: RecentRotation, now: number, graceMs: number): boolean {
  return now - rotation.at <= graceMs;
}

function successorOf(secret: Buffer, salt: Buffer): Buffer {
  return createHmac('sha256', salt).update(secret).digest();
}

function tagOf(tagKey: Buffer, secret: Buffer): Buffer {
  return createHmac('sha256', tagKey).update(secret).digest().subarray(0, TAG_BYTES);
}

function formatToken(sessionId: string, secret: Buffer, tagKey: Buffer): string {
  return Buffer.concat([parseUuid(sessionId), secret, tagOf(tagKey, secret)]).toString('base64url');
}

function parseUuid(text: string): Buffer {
  const lower = text.toLowerCase();
  if (!UUID.test(lower)) throw new TypeError('A session id must be a UUID.');
  return Buffer.from(lower.replaceAll('-', ''), 'hex');
}

function formatUuid(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function decode(text: string): Buffer {
  return Buffer.from(text, 'base64url');
}

/** Constant time. timingSafeEqual throws where lengths differ, which a damaged row could bring about. */
function sameBytes(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
