import type { Pool } from '../../../platform/db/pool.js';
import { createFairSemaphore } from '../../../platform/lib/fair-semaphore.js';
import { isObject } from '../../../platform/lib/is-object.js';
import { OverloadedError } from '../../../platform/lib/overloaded-error.js';
import { createRateLimiter } from '../../../platform/lib/rate-limiter.js';
import type { AppleReceipts } from '../../../platform/lib/receipts/apple-receipts.js';
import { readGoogleKey, readGooglePurchase } from '../../../platform/lib/receipts/google-receipts.js';
import {
  invalidReceipt,
  isProblem,
  type ReceiptProblem,
  type StoreSale,
} from '../../../platform/lib/receipts/store-sale.js';
import { findCataloguePrice } from './price-queries.js';
import type { StoreSettings } from './store-settings.js';

/** A receipt in the payload of a purchase. */
export type Receipt =
  | Readonly<{ store: 'apple'; signedTransaction: string }>
  | Readonly<{ store: 'google'; purchaseData: string; signature: string }>;

/** What each receipt of a batch proves, by `receiptKey`. */
export type CheckedReceipts = ReadonlyMap<string, StoreSale | ReceiptProblem>;

export const NO_RECEIPTS: CheckedReceipts = new Map();

type Sender = Readonly<{ userId: string; gameId: number }>;

export type ReceiptChecks = {
  /** Checks the receipts of some events of one player. Takes no time where there are none. */
  check(
    sender: Sender,
    stores: StoreSettings,
    events: readonly unknown[],
  ): CheckedReceipts | Promise<CheckedReceipts>;
};

type Options = {
  pool: Pool;
  /** Undefined without a root certificate in the settings. */
  apple: AppleReceipts | undefined;
  /** Off for load tests, like all rate limits. */
  isLimited: boolean;
};

/** Signatures at a time in one process: its thread pool also checks passwords and reads files. */
const MAX_CONCURRENT = 2;
const MAX_WAITING_PER_PLAYER = 20;
/** An honest client sends none. Each costs a signature. */
const BAD_RECEIPTS_PER_HOUR = 20;
const MAX_LIMITED_PLAYERS = 100_000;

export function createReceiptChecks({ pool, apple, isLimited }: Options): ReceiptChecks {
  const semaphore = createFairSemaphore({
    maxConcurrent: MAX_CONCURRENT,
    maxConcurrentPerKey: 1,
    maxWaitingPerKey: MAX_WAITING_PER_PLAYER,
  });
  const bad = createRateLimiter({
    quota: BAD_RECEIPTS_PER_HOUR,
    windowSeconds: 3_600,
    maxKeys: MAX_LIMITED_PLAYERS,
  });

  const verify = async (receipt: Receipt, stores: StoreSettings): Promise<StoreSale | ReceiptProblem> => {
    if (receipt.store === 'apple') {
      if (stores.apple === null) return notConfigured('apple');
      if (apple === undefined) return NO_ROOT;
      return apple.readTransaction(receipt.signedTransaction, stores.apple.bundleIds);
    }
    const publicKey = stores.google === null ? undefined : readGoogleKey(stores.google.publicKey);
    if (stores.google === null || publicKey === undefined) return notConfigured('google');
    const { packageName } = stores.google;
    return readGooglePurchase(receipt.purchaseData, receipt.signature, { packageName, publicKey });
  };

  const checkOne = async ({ userId, gameId }: Sender, stores: StoreSettings, receipt: Receipt) => {
    if (isLimited && !bad.peek(userId).allowed)
      return invalidReceipt('Too many invalid receipts came from this player within an hour.');
    const read = await verify(receipt, stores);
    if (isProblem(read)) {
      if (read.code === 'receipt_invalid') bad.take(userId);
      return read;
    }
    const isPriced = read.price !== null || read.isSandbox || read.isShared;
    return isPriced ? read : { ...read, ...(await findCataloguePrice(pool, gameId, read)) };
  };

  return {
    check(sender, stores, events) {
      const receipts = new Map(
        events.flatMap((event) => {
          const receipt = receiptOf(event);
          return receipt === undefined ? [] : [[receiptKey(receipt), receipt] as const];
        }),
      );
      if (receipts.size === 0) return NO_RECEIPTS;
      const checking = semaphore.of(sender.userId).take(async () => {
        const checked = new Map<string, StoreSale | ReceiptProblem>();
        // One after the other: the limit on bad receipts holds within a batch, too.
        for (const [key, receipt] of receipts) checked.set(key, await checkOne(sender, stores, receipt));
        return checked;
      });
      if (checking === undefined) throw new OverloadedError('own_line');
      return checking;
    },
  };
}

/** The same code as for a store that is not set up: a purchase waits in the inbox, and no player is to blame. */
const NO_ROOT: ReceiptProblem = Object.freeze({
  code: 'store_not_configured',
  message: 'The service has no root certificate of Apple: SAVEPOINT_APPLE_ROOT_FILE.',
});

const STORE_NAMES = { apple: 'Apple', google: 'Google' } as const;

export function notConfigured(store: Receipt['store']): ReceiptProblem {
  return {
    code: 'store_not_configured',
    message: `The game has not set up receipts of ${STORE_NAMES[store]}.`,
  };
}

/** Whether an event is a purchase with something that can be checked. */
export function hasReceipt(event: unknown): boolean {
  return receiptOf(event) !== undefined;
}

function receiptOf(event: unknown): Receipt | undefined {
  const isPurchase = isObject(event) && event.eventType === 'Purchase' && isObject(event.payload);
  return isPurchase && isObject(event.payload) ? readReceipt(event.payload.receipt) : undefined;
}

/** Undefined for anything that is no receipt. */
export function readReceipt(value: unknown): Receipt | undefined {
  if (!isObject(value)) return undefined;
  const { store, signedTransaction, purchaseData, signature } = value;
  if (store === 'apple' && typeof signedTransaction === 'string') return { store, signedTransaction };
  const isGoogle = store === 'google' && typeof purchaseData === 'string' && typeof signature === 'string';
  return isGoogle ? { store, purchaseData, signature } : undefined;
}

/** The same for the same receipt. */
export function receiptKey(receipt: Receipt): string {
  return receipt.store === 'apple'
    ? receipt.signedTransaction
    : `${receipt.signature} ${receipt.purchaseData}`;
}
