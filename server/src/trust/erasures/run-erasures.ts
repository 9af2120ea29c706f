import {
  type DedicatedConnection,
  tryAdvisoryLock,
  walkByIndex,
  withDedicatedConnection,
} from '../../platform/db/dedicated-connection.js';
import type { Pool } from '../../platform/db/pool.js';
import { chunksOf } from '../../platform/lib/chunks.js';
import { keepToShare, type Rest } from '../../platform/lib/share-of-time.js';
import type { ErasureHashes } from '../../platform/security/erasure-hashes.js';
import { beginErasures, type ErasedPlayer, listErasing } from './begin-queries.js';
import { eraseEvents, untilDone } from './erase-events.js';
import { eraseIdentities } from './erase-identities.js';
import { eraseFromQuestions } from './erase-questions.js';
import {
  deleteJobsNaming,
  deleteUnattributed,
  expireExports,
  forgetFormerPlayer,
  forgetTesters,
  listGamesWithOldJobs,
  renameInAuditLog,
} from './erase-traces.js';
import { eraseTransactions, TRANSACTIONS_PER_STATEMENT } from './erase-transactions.js';
import { type FinishedErasure, listFinished, updateErasuresDone } from './finish-queries.js';
import { type ReceiptSigner, signReceipt } from './receipt.js';
import { TABLE_ERASURES } from './table-erasures.js';

/** Players that a transaction or a statement is about, if it costs something for each of them. */
const PLAYERS_PER_STATEMENT = 10;
/** Players that are erased together: the pages of identities are read once for all of them. */
const PLAYERS_PER_GROUP = 1_000;
const ROWS_PER_STATEMENT = 100;
const STATEMENT_TIMEOUT_MS = 60_000;
/**
 * How much of the time is spent on erasures. With all of it the 99th percentile of intake at half load doubled. With an eighth, in
 * statements about ten players, it was 0.98 of the load just before (median of four rounds of `npm run bench -- erasures`), and about 20 players
 * were erased in a second on two busy cores. With statements about twenty it was 1.33.
 */
export const ERASURE_SHARE = 1 / 8;

export type ErasureRun = Readonly<{
  pool: Pool;
  hashes: ErasureHashes;
  signer: ReceiptSigner;
  now: () => number;
  /** Ends the run after the current statement; the next run goes on. */
  signal?: AbortSignal;
  /** Called before each step. Tests interrupt the run with it. */
  onStep?: (step: string) => void;
  /** Called before the requests are done: writes the list of erased players. */
  onErasing?: ((erased: readonly FinishedErasure[]) => Promise<void>) | undefined;
  /** Called when players have been erased, with the number of the whole run. */
  onProgress?: (erased: number) => void;
  /** False: works without pauses, beside no traffic. */
  rests?: boolean;
}>;

/** `busy`: another process is at it. */
export type ErasureResult = Readonly<{ state: 'done' | 'busy' | 'interrupted'; erased: number }>;

/**
 * Erases the players whose requests are due, in groups, one process at a time. Every statement deletes a bounded number of rows and adds
 * to the counts of the request in the same transaction: after a crash the next run does what is left, and the counts are right.
 */
export async function runErasures(run: ErasureRun): Promise<ErasureResult> {
  return withDedicatedConnection(run.pool, async (connection) => {
    if (!(await tryAdvisoryLock(connection, 'savepoint erasures'))) return { state: 'busy', erased: 0 };
    await connection.query("select set_config('statement_timeout', $1, false)", [STATEMENT_TIMEOUT_MS]);
    await walkByIndex(connection);
    const rest = keepToShare(run.rests === false ? 1 : ERASURE_SHARE, run.signal);
    let erased = 0;
    for (;;) {
      if (run.signal?.aborted) return { state: 'interrupted', erased };
      const group = await nextGroup(connection, run, rest);
      if (group.length === 0) return { state: 'done', erased };
      if (!(await eraseGroup(connection, run, rest, group))) return { state: 'interrupted', erased };
      const done = await finishGroup(connection, run, rest, group);
      erased += done;
      run.onProgress?.(erased);
      // The rest waits for a job to end. The next run looks again.
      if (done < group.length) return { state: 'interrupted', erased };
    }
  });
}

async function nextGroup(
  connection: DedicatedConnection,
  run: ErasureRun,
  rest: Rest,
): Promise<ErasedPlayer[]> {
  run.onStep?.('begin');
  const left = await listErasing(connection, PLAYERS_PER_GROUP);
  let begun = left.length;
  while (begun < PLAYERS_PER_GROUP) {
    const more = await beginErasures(connection, run.now(), PLAYERS_PER_STATEMENT);
    begun += more;
    await rest();
    if (more < PLAYERS_PER_STATEMENT) break;
  }
  return begun === left.length ? left : listErasing(connection, PLAYERS_PER_GROUP);
}

/** False if the run is to end before everything is deleted. */
async function eraseGroup(
  connection: DedicatedConnection,
  run: ErasureRun,
  rest: Rest,
  group: readonly ErasedPlayer[],
): Promise<boolean> {
  const playerIds = group.map(({ playerId }) => playerId);
  run.onStep?.('questions');
  await eraseFromQuestions(connection, group, rest);
  run.onStep?.('event_blocks');
  if (!(await eraseEvents(connection, playerIds, rest))) return false;
  run.onStep?.('event_identities');
  await eraseIdentities(connection, playerIds, rest);
  run.onStep?.('transactions');
  await untilDone(TRANSACTIONS_PER_STATEMENT, rest, () =>
    eraseTransactions(connection, run.hashes, playerIds),
  );
  for (const [table, erasure] of Object.entries(TABLE_ERASURES)) {
    if (!('delete' in erasure)) continue;
    run.onStep?.(table);
    await untilDone(ROWS_PER_STATEMENT, rest, async () => {
      const { rows } = await connection.query<{ n: number }>(erasure.delete, [playerIds, ROWS_PER_STATEMENT]);
      return rows[0]?.n ?? 0;
    });
  }
  run.onStep?.('traces');
  await forgetFormerPlayer(connection, playerIds);
  await forgetTesters(connection, group);
  await deleteUnattributed(connection, group);
  await rest();
  for (const some of chunksOf(group, PLAYERS_PER_STATEMENT)) {
    await renameInAuditLog(connection, some);
    await rest();
  }
  run.onStep?.('exports');
  await expireExports(connection, group, run.now());
  await rest();
  return true;
}

/** Returns how many were finished: a job that was running when the erasure began may still write down a player. */
async function finishGroup(
  connection: DedicatedConnection,
  run: ErasureRun,
  rest: Rest,
  group: readonly ErasedPlayer[],
): Promise<number> {
  run.onStep?.('finish');
  const waiting = new Set(await listGamesWithOldJobs(connection, group));
  await deleteJobsNaming(connection, group);
  const ready = group.filter(({ gameId }) => !waiting.has(gameId)).map(({ erasureId }) => erasureId);
  const finished = await listFinished(connection, ready);
  await run.onErasing?.(finished);
  for (const some of chunksOf(finished, PLAYERS_PER_STATEMENT)) {
    const nowMs = run.now();
    const receipts = some.map((erasure) => ({
      erasureId: erasure.erasureId,
      receipt: signReceipt(run.signer, erasure, nowMs),
    }));
    await updateErasuresDone(connection, receipts, nowMs);
    await rest();
  }
  return ready.length;
}
