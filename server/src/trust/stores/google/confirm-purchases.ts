import type { Logger } from 'pino';
import { tryAdvisoryLock, withDedicatedConnection } from '../../../platform/db/dedicated-connection.js';
import type { Pool } from '../../../platform/db/pool.js';
import { DAY_MS, HOUR_MS } from '../../../platform/lib/day.js';
import {
  type GoogleAccount,
  type GoogleApi,
  GoogleUnavailableError,
} from '../../../platform/lib/google-play/google-api.js';
import type { ErasureHashes } from '../../../platform/security/erasure-hashes.js';
import type { MasterKeys } from '../../../platform/security/master-keys.js';
import { applyNotification } from '../apply-notification.js';
import { findStores } from '../store-settings-queries.js';
import { noteFailure, noteSuccess, openAccount } from './account-queries.js';
import {
  deletePurchase,
  isOfTester,
  listDuePurchases,
  listGamesToConfirm,
  postponePurchase,
  type WaitingPurchase,
} from './purchase-queries.js';

/** What asking Google needs of the process. */
export type GoogleWork = Readonly<{
  pool: Pool;
  api: GoogleApi;
  masterKeys: MasterKeys;
  hashes: () => Promise<ErasureHashes>;
  logger: Logger;
  now: () => number;
}>;

/** Purchases of one game that are asked about at the same time. */
const PER_CHUNK = 10;
/** Google gives the money back for a purchase that was not acknowledged within three days. */
const GIVE_UP_AFTER_MS = 7 * DAY_MS;

/**
 * Asks Google about stored purchases, and acknowledges them, one node at a time:
 *
 *   look up ─┬─ purchased ──► acknowledge ──► done
 *            ├─ test ──► without a price for testers, else taken back ──► acknowledge ──► done
 *            ├─ cancelled ──► taken back, as by a notification ──► done
 *            ├─ pending ──► asked again in an hour
 *            ├─ not known to Google ──► stays, as its signature is right; logged
 *            └─ Google cannot be asked ──► all of the game wait: half a minute, then longer
 *
 * A purchase is deleted from the queue after the last of this, so after a crash it is asked about again. Each step may be repeated.
 */
export async function confirmPurchases(work: GoogleWork, signal?: AbortSignal): Promise<void> {
  const gameIds = await listGamesToConfirm(work.pool, work.now());
  if (gameIds.length === 0) return;
  await withDedicatedConnection(work.pool, async (connection) => {
    if (!(await tryAdvisoryLock(connection, 'savepoint google purchases'))) return;
    for (const gameId of gameIds) {
      if (signal?.aborted) return;
      await confirmGame(work, gameId, signal);
    }
  });
}

async function confirmGame(work: GoogleWork, gameId: number, signal: AbortSignal | undefined): Promise<void> {
  const account = await openAccount(work.pool, work.masterKeys, gameId);
  if (account === undefined) {
    await noteFailure(work.pool, gameId, 'The game has no settings for receipts of Google.', work.now());
    return;
  }
  for (;;) {
    const due = await listDuePurchases(work.pool, gameId, work.now(), PER_CHUNK);
    const failures = await Promise.all(due.map((purchase) => tryToConfirm(work, account, purchase)));
    const left = failures.filter((failure) => failure !== undefined);
    if (left.length < due.length) await noteSuccess(work.pool, gameId);
    if (left.length > 0) return wait(work, gameId, left);
    if (due.length < PER_CHUNK || signal?.aborted) return;
  }
}

type Failure = Readonly<{ purchase: WaitingPurchase; reason: string }>;

/** Undefined unless Google cannot be asked now. */
async function tryToConfirm(
  work: GoogleWork,
  account: GoogleAccount,
  purchase: WaitingPurchase,
): Promise<Failure | undefined> {
  try {
    await confirm(work, account, purchase);
    return undefined;
  } catch (error) {
    if (!(error instanceof GoogleUnavailableError)) throw error;
    return { purchase, reason: error.message };
  }
}

/** Other purchases come first next time: perhaps Google fails for these alone. */
async function wait(
  { pool, logger, now }: GoogleWork,
  gameId: number,
  failures: readonly Failure[],
): Promise<void> {
  const nowMs = now();
  const reason = failures[0]?.reason ?? '';
  const retryAt = await noteFailure(pool, gameId, reason, nowMs);
  logger.warn({ gameId, reason }, 'Google could not be asked about purchases; they wait');
  for (const { purchase } of failures) {
    if (nowMs - purchase.storedAt <= GIVE_UP_AFTER_MS) {
      await postponePurchase(pool, purchase, retryAt);
      continue;
    }
    logger.error({ gameId }, 'a purchase was never acknowledged: Google could not be asked for a week');
    await deletePurchase(pool, purchase);
  }
}

async function confirm(work: GoogleWork, account: GoogleAccount, purchase: WaitingPurchase): Promise<void> {
  const { pool, api, logger } = work;
  const { gameId } = account;
  const found = await api.findPurchase(account, purchase.purchaseToken);
  if (found?.state === 'pending') return postponePurchase(pool, purchase, work.now() + HOUR_MS);
  if (found === undefined) {
    logger.warn({ gameId }, 'Google does not know a purchase whose signature is right; it stays');
  } else if (found.state === 'cancelled') {
    await takeBack(work, purchase, 'CANCELLED');
  } else {
    if (found.isTest) await takeBack(work, purchase, 'TEST');
    const isTaken = found.isAcknowledged || (await api.acknowledge(account, purchase));
    if (!isTaken) logger.warn({ gameId }, 'Google refused the acknowledgement of a purchase; it stays');
  }
  await deletePurchase(pool, purchase);
}

async function takeBack(
  { pool, hashes, now }: GoogleWork,
  { gameId, transactionId }: WaitingPurchase,
  type: 'CANCELLED' | 'TEST',
): Promise<void> {
  const known = await hashes();
  const nowMs = now();
  const { testers } = await findStores(pool, gameId);
  const isKept = type === 'TEST' && (await isOfTester(pool, { gameId, transactionId }, testers));
  const notification = {
    gameId,
    store: 'google',
    // Of the order, and not the order itself: the notification stays when the player is erased.
    notificationId: `${type}:${known.order(gameId, transactionId).toString('hex')}`,
    type,
    signedAtMs: nowMs,
    refund: { transactionId, share: '1', atMs: isKept ? null : nowMs },
  } as const;
  await applyNotification(pool, known, notification, nowMs);
}
