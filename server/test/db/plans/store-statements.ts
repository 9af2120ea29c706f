import { applyEvents } from '../../../src/features/events/apply/apply-events.js';
import { findCataloguePrice } from '../../../src/features/events/receipts/price-queries.js';
import { NO_STORES } from '../../../src/features/events/receipts/store-settings.js';
import { applyNotification } from '../../../src/features/stores/apply-notification.js';
import { findStores, saveStores } from '../../../src/features/stores/store-settings-queries.js';
import { toRecords } from '../../support/game-world.js';
import { WORLD } from './large-tables.js';
import type { Listed } from './listed-statement.js';

const { gameId, playerId } = WORLD;

/** Statements about verified purchases, and what stores say of them. */
export const STORE_STATEMENTS: readonly Listed[] = [
  {
    what: 'find_catalogue_price',
    call: ({ service }) => findCataloguePrice(service, gameId, { productId: 'sku-1', quantity: 1 }),
  },
  {
    what: 'lock_transactions, find_holders_of_transactions, find_notices_of_transactions, insert_transaction_changes, find_users_of_move',
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
            const sale = record.transaction && { ...record.transaction, store: 'server' as const };
            return { ...record, transaction: sale, sale };
          }),
        );
      }
    },
  },
  {
    what: 'list_players_to_refund, and the insertion of a notification',
    call: ({ service, nowMs }) => {
      const refund = { transactionId: 'transaction-2', share: '1', atMs: nowMs };
      const notification = { notificationId: 'new', type: 'REFUND', signedAtMs: nowMs, refund };
      return applyNotification(service, { gameId, store: 'apple', ...notification }, nowMs);
    },
  },
  {
    what: 'settings of stores',
    call: async ({ admin, nowMs }) => {
      await saveStores(admin, gameId, NO_STORES, { name: 'a test', nowMs });
      await findStores(admin, gameId);
    },
  },
];
