import Type from 'typebox';
import { Compile } from 'typebox/schema';
import { MAX_TRANSACTION_ID } from '../../core/events/intake/built-in-event-types.js';
import type { TransactionFact } from '../../core/events/intake/event-record.js';
import type { PurchaseCheck } from '../../core/events/receipts/purchase-check.js';

/** As many digits before the point as a price may have. */
const Amount = Type.String({ pattern: '^\\d{1,12}(\\.\\d{1,30})?$' });
/** Nothing that PostgreSQL cannot store. */
const textOf = (min: number, max: number) =>
  Type.String({ pattern: `^[^\\u0000\\ud800-\\udfff]{${min},${max}}$` });
/** A client may name a product or a promotion by an empty text. */
const Name = textOf(0, 1024);
const EpochMs = Type.Integer({ minimum: 0, maximum: 8_640_000_000_000_000 });
export const TransactionIdText = textOf(1, MAX_TRANSACTION_ID);
const orNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** As an export writes it: what the other installation found the purchase to be. Null: it counts as nothing. */
const SaleMember = orNull(
  Type.Object(
    {
      transactionId: TransactionIdText,
      kind: Type.Literal('purchase'),
      skuId: orNull(Name),
      price: orNull(Amount),
      currency: orNull(Type.String({ pattern: '^[A-Z]{3}$' })),
      promoId: orNull(Name),
      store: Type.Optional(
        Type.Union([Type.Literal('apple'), Type.Literal('google'), Type.Literal('server')]),
      ),
      quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
      purchasedAtMs: Type.Optional(EpochMs),
      notice: Type.Optional(
        Type.Object(
          { signedAtMs: EpochMs, share: Amount, atMs: orNull(EpochMs) },
          { additionalProperties: false },
        ),
      ),
      purchaseToken: Type.Optional(textOf(1, 1024)),
    },
    { additionalProperties: false },
  ),
);
const validator = Compile(SaleMember);

/**
 * A receipt was checked when the other installation received it, with the settings of then. The owner who imports the file vouches for
 * the result, as for the times. Without the member, a purchase counts as its payload says.
 */
export function purchaseCheckOf(sale: unknown): PurchaseCheck | 'invalid' | undefined {
  if (sale === undefined) return undefined;
  if (!validator.Check(sale)) return 'invalid';
  // A refund is never decided to be something else than it says, only to count as nothing.
  return (_, claimed) => ({
    sale: claimed.kind === 'purchase' || sale === null ? (sale as TransactionFact | null) : undefined,
  });
}
