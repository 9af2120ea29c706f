import { timingSafeEqual } from 'node:crypto';
import type { Logger } from 'pino';
import { isKeyAllowed } from '../../core/sessions/key-environment.js';
import type { Pool } from '../../platform/db/pool.js';
import { Batcher } from '../../platform/lib/batcher.js';
import type { Clock } from '../../platform/lib/clock.js';
import { createFifoMap } from '../../platform/lib/fifo-map.js';
import { hashOfToken } from '../../platform/lib/secret-token.js';
import { readServerKey } from '../../platform/lib/server-key.js';
import type { Settings } from '../../platform/settings/settings.js';
import { findServerKeys, type ServerKeyRow, updateKeyUse } from './server-key-queries.js';

export type ServerKeys = {
  /** The key of this text, if it is a server key that works here. Asks the database each time, so a revoked key ends at once. */
  authenticate(text: string): Promise<ServerKeyRow | undefined>;
  /** Remembers time and address, once a minute. Does not wait. */
  noteUse(keyId: string, address: string): void;
};

type Options = {
  pool: Pool;
  settings: Pick<Settings, 'environment'>;
  clock: Clock;
  logger: Logger;
};

const NOTED_EVERY_MS = 60_000;
const MAX_NOTED = 10_000;
/** Compared with where there is no such key: neither response nor time tells an unknown id from a wrong secret. */
const NO_HASH = Buffer.alloc(32);

export function createServerKeys({ pool, settings, clock, logger }: Options): ServerKeys {
  const noted = createFifoMap<string, number>();
  const rows = new Batcher<string, ServerKeyRow | undefined>({
    maxItems: 500,
    maxInFlight: 2,
    maxWaiting: 10_000,
    async run(keyIds) {
      const found = new Map(
        (await findServerKeys(pool, [...new Set(keyIds)])).map((row) => [row.keyId, row]),
      );
      return keyIds.map((keyId) => found.get(keyId));
    },
  });

  return {
    async authenticate(text) {
      const key = readServerKey(text);
      if (key === undefined) return undefined;
      const row = await rows.submit(key.keyId);
      const isRight = timingSafeEqual(hashOfToken(text), row?.secretHash ?? NO_HASH);
      if (row === undefined || !isRight || !isKeyAllowed(settings, row.environment)) return undefined;
      return row.expiresAt !== null && row.expiresAt <= clock.now() ? undefined : row;
    },
    noteUse(keyId, address) {
      const usedAt = clock.now();
      if (usedAt - (noted.get(keyId) ?? Number.NEGATIVE_INFINITY) < NOTED_EVERY_MS) return;
      noted.delete(keyId);
      noted.set(keyId, usedAt);
      const oldest = noted.size > MAX_NOTED ? noted.oldest() : undefined;
      if (oldest !== undefined) noted.delete(oldest[0]);
      updateKeyUse(pool, keyId, { usedAt, address }).catch((error: unknown) =>
        logger.warn({ err: error, keyId }, 'could not store when a server key was used'),
      );
    },
  };
}
