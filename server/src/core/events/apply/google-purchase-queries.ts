import type { Call } from '../../../platform/db/pool.js';
import type { EventRecord, TransactionFact } from '../intake/event-record.js';

type GoogleRecord = EventRecord & { transaction: TransactionFact & { purchaseToken: string } };

/** A purchase that Google can be asked about. */
export function isOfGoogle(record: EventRecord): record is GoogleRecord {
  return record.transaction?.purchaseToken !== undefined;
}

/**
 * Remembers purchases that Google has to be asked about and that have to be acknowledged, in the transaction that stores them: so no
 * purchase is acknowledged before it is stored, and none is forgotten. A game without a service account remembers nothing.
 */
export function insertGooglePurchases(records: readonly GoogleRecord[]): Call {
  return {
    statement: INSERT_GOOGLE_PURCHASES,
    values: [
      records.map(({ gameId }) => gameId),
      records.map(({ transaction }) => transaction.transactionId),
      records.map(({ transaction }) => transaction.purchaseToken),
      records.map(({ transaction }) => transaction.skuId),
      records.map(({ receivedAtMs }) => new Date(receivedAtMs)),
    ],
  };
}

const INSERT_GOOGLE_PURCHASES = {
  name: 'insert_google_purchases',
  text: `insert into google_purchases (game_id, transaction_id, purchase_token, product_id, stored_at, due_at)
         select p.game_id, p.transaction_id, p.purchase_token, p.product_id, p.received_at, p.received_at
         from unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::timestamptz[])
           as p(game_id, transaction_id, purchase_token, product_id, received_at)
         where exists (select from google_accounts a where a.game_id = p.game_id offset 0)
         order by p.game_id, p.transaction_id
         on conflict (game_id, transaction_id) do nothing`,
};
