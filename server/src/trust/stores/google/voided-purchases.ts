import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../platform/lib/day.js';
import { type GoogleAccount, GoogleUnavailableError } from '../../../platform/lib/google-play/google-api.js';
import { done, type MaintenanceStep } from '../../../platform/lifecycle/maintenance-step.js';
import { applyNotification } from '../apply-notification.js';
import { noteFailure, noteSuccess, openAccount } from './account-queries.js';
import type { GoogleWork } from './confirm-purchases.js';
import {
  beginVoidedList,
  endVoidedList,
  listVoidedLists,
  updateVoidedPage,
  type VoidedList,
} from './voided-queries.js';

/** Google tells of the last 30 days. The hour is for clocks that differ. */
const MAX_BACK_MS = 30 * DAY_MS - HOUR_MS;
const PAGE_SIZE = 500;

type Options = Readonly<{ signal?: AbortSignal; pageSize?: number }>;

/**
 * Reads the lists of voided purchases since the last time, once a day for each game:
 *
 *   begin: from the end of the last list to now ──► [ page ──► apply each, remember the next page ] … ──► end
 *
 * An interrupted list goes on at its page. Each order counts once, whether a page is read again or a notification has said the same.
 * Returns how many purchases were voided.
 */
export async function readVoidedPurchases(
  work: GoogleWork,
  { signal, pageSize = PAGE_SIZE }: Options = {},
): Promise<number> {
  const nowMs = work.now();
  let voided = 0;
  for (const list of await listVoidedLists(work.pool, nowMs)) {
    const account = await openAccount(work.pool, work.masterKeys, list.gameId);
    if (account === undefined) continue;
    try {
      voided += await readList(work, account, list, { pageSize, ...(signal && { signal }) });
      await noteSuccess(work.pool, list.gameId);
    } catch (error) {
      if (!(error instanceof GoogleUnavailableError)) throw error;
      await noteFailure(work.pool, list.gameId, error.message, nowMs);
      // A page that is too old is refused: the next run begins the list again.
      await updateVoidedPage(work.pool, list.gameId, null);
      const { gameId } = list;
      work.logger.warn({ gameId, reason: error.message }, 'voided purchases of Google could not be read');
    }
    if (signal?.aborted) break;
  }
  return voided;
}

async function readList(
  work: GoogleWork,
  account: GoogleAccount,
  list: VoidedList,
  { signal, pageSize = PAGE_SIZE }: Options,
): Promise<number> {
  const { pool, api } = work;
  const { gameId } = account;
  const nowMs = work.now();
  const toMs = list.toMs ?? nowMs;
  // Lists overlap: Google may learn of a void later.
  const fromMs = Math.max((list.fromMs ?? 0) - HOUR_MS, nowMs - MAX_BACK_MS);
  if (list.toMs === null) await beginVoidedList(pool, gameId, toMs);
  let { page } = list;
  let voided = 0;
  for (;;) {
    const { voided: entries, nextPage } = await api.listVoided(account, { fromMs, toMs, page, pageSize });
    for (const entry of entries) voided += (await applyVoid(work, gameId, entry)) ? 1 : 0;
    page = nextPage;
    if (page === null) {
      await endVoidedList(pool, gameId);
      return voided;
    }
    await updateVoidedPage(pool, gameId, page);
    if (signal?.aborted) return voided;
  }
}

async function applyVoid(
  { pool, hashes, now }: GoogleWork,
  gameId: number,
  { transactionId, voidedAtMs }: Readonly<{ transactionId: string; voidedAtMs: number }>,
): Promise<boolean> {
  const known = await hashes();
  const notification = {
    gameId,
    store: 'google',
    notificationId: `VOIDED:${known.order(gameId, transactionId).toString('hex')}`,
    type: 'VOIDED',
    signedAtMs: voidedAtMs,
    refund: { transactionId, share: '1', atMs: voidedAtMs },
  } as const;
  return (await applyNotification(pool, known, notification, now())) === 'applied';
}

export function voidedPurchasesStep(work: Omit<GoogleWork, 'now'>): MaintenanceStep {
  return {
    name: 'voided_purchases',
    maxMs: 10 * MINUTE_MS,
    async run({ nowMs, signal }) {
      const purchasesVoided = await readVoidedPurchases({ ...work, now: () => nowMs }, { signal });
      return done({ purchasesVoided });
    },
  };
}
