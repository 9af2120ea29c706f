import type { Logger } from 'pino';
import type { Pool } from '../../platform/db/pool.js';
import type { Clock } from '../../platform/lib/clock.js';
import { createPoller, type Poller } from '../../platform/lib/poller.js';
import type { ErasureHashes } from '../../platform/security/erasure-hashes.js';
import { hasDueErasures } from './begin-queries.js';
import type { ReceiptSigner } from './receipt.js';
import { type ErasureRun, runErasures } from './run-erasures.js';

/** How soon a node finds a request that was made in another process. */
const POLL_MS = 5_000;

type Options = Readonly<{
  pool: Pool;
  clock: Clock;
  logger: Logger;
  signer: ReceiptSigner;
  hashes: () => Promise<ErasureHashes>;
  onErasing: ErasureRun['onErasing'];
}>;

/** Erases players in the operations process, one node at a time. When it stops, a run ends after its current statement. */
export function createErasureRunner({ pool, clock, logger, signer, hashes, onErasing }: Options): Poller {
  return createPoller({
    everyMs: POLL_MS,
    async work(signal) {
      if (!(await hasDueErasures(pool, clock.now()))) return;
      const run = { pool, hashes: await hashes(), signer, now: clock.now, onErasing, signal };
      const { erased } = await runErasures(run);
      if (erased > 0) logger.info({ players: erased }, 'players were erased');
    },
    onError: (error) =>
      logger.warn({ err: error }, 'the erasure of players was interrupted; it goes on in a few seconds'),
  });
}
