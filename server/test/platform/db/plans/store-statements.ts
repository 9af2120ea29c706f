import { applyEvents } from '../../../../src/core/events/apply/apply-events.js';
import { tryLockTransaction } from '../../../../src/core/events/apply/claim-queries.js';
import { findCataloguePrice } from '../../../../src/core/events/receipts/price-queries.js';
import { createReceiptChecks } from '../../../../src/core/events/receipts/receipt-checks.js';
import { NO_STORES } from '../../../../src/core/events/receipts/store-settings.js';
import { createRegistries } from '../../../../src/core/events/types/registries.js';
import { replayWaiting } from '../../../../src/insight/failed-events/replay-waiting.js';
import { transaction } from '../../../../src/platform/db/pool.js';
import { applyNotification } from '../../../../src/trust/stores/apply-notification.js';
import {
  deleteAccount,
  listFailingAccounts,
  noteFailure,
  noteSuccess,
  openAccount,
  saveAccount,
} from '../../../../src/trust/stores/google/account-queries.js';
import {
  deletePurchase,
  isOfTester,
  listDuePurchases,
  listGamesToConfirm,
  postponePurchase,
} from '../../../../src/trust/stores/google/purchase-queries.js';
import {
  beginVoidedList,
  endVoidedList,
  listVoidedLists,
  updateVoidedPage,
} from '../../../../src/trust/stores/google/voided-queries.js';
import { updateErasedOrder } from '../../../../src/trust/stores/notification-queries.js';
import { findStores, saveStores } from '../../../../src/trust/stores/store-settings-queries.js';
import { toRecords } from '../../../support/game-world.js';
import { testMasterKeys } from '../../../support/harness.js';
import { WORLD } from './large-tables.js';
import type { Listed } from './listed-statement.js';

const { gameId, playerId } = WORLD;
const masterKeys = testMasterKeys();
const PURCHASE = { gameId, transactionId: 'transaction-2' };

/** Statements about verified purchases, and what stores say of them. */
export const STORE_STATEMENTS: readonly Listed[] = [
  {
    what: 'find_catalogue_price',
    call: ({ service }) => findCataloguePrice(service, gameId, { productId: 'sku-1', quantity: 1 }),
  },
  {
    what: 'lock_transactions, find_holders_of_transactions, find_notices_of_transactions, share_unproved, lock_unproved, insert_transaction_changes, find_users_of_move, insert_google_purchases',
    call: async ({ service, nowMs }) => {
      // Two players prove one transaction: the second takes it from the first.
      for (const [n, whose] of [playerId, '2'].entries()) {
        const player = { playerId: whose, gameId, userId: WORLD.userIds[n] ?? '', createdAt: 0 };
        const timestamp = new Date(nowMs).toISOString();
        const payload = { transactionId: 'proved', price: 1, currency: 'USD' };
        const records = toRecords(player, [{ eventType: 'Purchase', timestamp, payload }], nowMs + n);
        await applyEvents(
          service,
          records.map((record) => {
            const proof = { store: 'google' as const, purchaseToken: 'token', skuId: 'sku-1' };
            const sale = record.transaction && { ...record.transaction, ...proof };
            return { ...record, transaction: sale, sale };
          }),
        );
      }
    },
  },
  {
    what: 'list_namers_of_transaction, is_erased_order, update_erased_order, find_refund_of_notification, and the insertion of a notification',
    call: async ({ service, nowMs }) => {
      const hash = Buffer.alloc(32);
      const refund = { transactionId: 'transaction-2', share: '1', atMs: nowMs };
      const notification = { notificationId: 'new', type: 'REFUND', signedAtMs: nowMs, refund };
      const hashes = { player: () => hash, order: () => hash, codeSeed: () => hash, code: () => hash };
      // The second time it is known.
      for (const _ of [1, 2])
        await applyNotification(service, hashes, { gameId, store: 'apple', ...notification }, nowMs);
      await transaction(service, (client) => updateErasedOrder(client, hash, refund));
      await transaction(service, (client) => tryLockTransaction(client, PURCHASE));
    },
  },
  {
    what: 'settings of stores',
    call: async ({ admin, nowMs }) => {
      await saveStores(admin, gameId, NO_STORES, { name: 'a test', nowMs });
      await findStores(admin, gameId);
    },
  },
  {
    what: 'list_games_to_replay',
    call: async ({ service, nowMs }) => {
      const registries = createRegistries(service, () => {});
      const receipts = createReceiptChecks({ pool: service, apple: undefined, isLimited: false });
      await replayWaiting({ pool: service, registries, receipts, hashes: async () => undefined }, { nowMs });
    },
    reads: {
      tables: ['game_stores'],
      why: 'all games are asked whether they have set up a store lately',
      atMost: 'all',
    },
  },
  {
    what: 'the service account of Google',
    call: async ({ admin, nowMs }) => {
      const account = { gameId: WORLD.quietGameId, email: '', privateKey: '' };
      await saveAccount(admin, masterKeys, account, { name: 'a test', nowMs });
      await noteFailure(admin, WORLD.quietGameId, '', nowMs);
      await listFailingAccounts(admin);
      await noteSuccess(admin, gameId);
      await openAccount(admin, masterKeys, gameId);
      await listVoidedLists(admin, nowMs);
      await beginVoidedList(admin, gameId, nowMs);
      await updateVoidedPage(admin, gameId, 'page');
      await endVoidedList(admin, gameId);
      await deleteAccount(admin, WORLD.quietGameId, { name: 'a test', nowMs });
    },
  },
  {
    what: 'purchases that wait for Google',
    call: async ({ admin, nowMs }) => {
      await listGamesToConfirm(admin, nowMs);
      await listDuePurchases(admin, gameId, nowMs, 10);
      await isOfTester(admin, PURCHASE, [WORLD.userId]);
      await postponePurchase(admin, PURCHASE, nowMs);
      await deletePurchase(admin, PURCHASE);
    },
  },
];
