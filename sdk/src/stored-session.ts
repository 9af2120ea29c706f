import { isObject } from './http.js';
import type { SavepointStorage } from './storage/storage.js';
import { createStoredValue, type StoredValue } from './storage/stored-value.js';
import type { Identity } from './wire.js';

export type Session = Identity & {
  accessToken: string;
  refreshToken: string;
  /** By the clock of the device. */
  obtainedAt: number;
  lifetimeMs: number;
};

/** What is stored about the session. */
export type Kept = Session | { isLoggedOut: true };

type Options = { storage: SavepointStorage; prefix: string; onDamaged(what: string): void };

export function createStoredSession({ storage, prefix, onDamaged }: Options): StoredValue<Kept> {
  return createStoredValue({
    storage,
    // Twice: a player who has logged out must not be logged in again because of a damaged file.
    keys: [`${prefix}session`, `${prefix}session:copy`],
    isValid: isKept,
    onDamaged: () => onDamaged('the session'),
  });
}

export function isSession(kept: Kept | undefined): kept is Session {
  return kept !== undefined && 'accessToken' in kept;
}

function isKept(value: unknown): value is Kept {
  if (!isObject(value)) return false;
  const { accessToken, refreshToken, userId, gameId, tenantId, obtainedAt, lifetimeMs } = value;
  const texts = [accessToken, refreshToken, userId, gameId, tenantId];
  const isWhole =
    texts.every((text) => typeof text === 'string') && [obtainedAt, lifetimeMs].every(Number.isFinite);
  return value.isLoggedOut === true || isWhole;
}
