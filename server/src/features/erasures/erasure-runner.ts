import type { Logger } from 'pino';
import type { Pool } from '../../db/pool.js';
import type { Clock } from '../../lib/clock.js';
import type { ErasureHashes } from '../../security/erasure-hashes.js';
import { hasDueErasures } from './begin-queries.js';
import type { ReceiptSigner } from './receipt.js';
import { type ErasureRun, runErasures } from './run-erasures.js';

/** How soon a node finds a request that was made in another process. */
const POLL_MS = 5_000;

/** Erases players in the operations process, one node at a time. */
export type ErasureRunner = {
  start(): void;
  /** Ends the run after its current statement. */
  stop(): Promise<void>;
};

type Options = Readonly<{
  pool: Pool;
  clock: Clock;
  logger: Logger;
  signer: ReceiptSigner;
  hashes: () => Promise<ErasureHashes>;
  onErasing: ErasureRun['onErasing'];
}>;

export function createErasureRunner({
  pool,
  clock,
  logger,
  signer,
  hashes,
  onErasing,
}: Options): ErasureRunner {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> | undefined;

  const work = async (): Promise<void> => {
    if (!(await hasDueErasures(pool, clock.now()))) return;
    const { erased } = await runErasures({
      pool,
      hashes: await hashes(),
      signer,
      now: clock.now,
      onErasing,
      signal: stopping.signal,
    });
    if (erased > 0) logger.info({ players: erased }, 'players were erased');
  };
  const look = (): void => {
    if (working !== undefined || stopping.signal.aborted) return;
    working = work()
      .catch((error: unknown) => {
        if (!stopping.signal.aborted)
          logger.warn({ err: error }, 'the erasure of players was interrupted; it goes on in a few seconds');
      })
      .finally(() => {
        working = undefined;
      });
  };

  return {
    start() {
      timer = setInterval(look, POLL_MS).unref();
      look();
    },
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await working;
    },
  };
}
