import Type from 'typebox';
import { Compile } from 'typebox/schema';
import type { TransactionFact } from '../events/intake/event-record.js';
import type { PurchaseCheck } from '../events/receipts/purchase-check.js';

const Amount = Type.String({ pattern: '^\\d{1,30}(\\.\\d{1,30})?$' });
/** Nothing that PostgreSQL cannot store. */
const Text = Type.String({ pattern: '^[^\\u0000\\ud800-\\udfff]{1,1024}$' });
const EpochMs = Type.Integer({ minimum: 0, maximum: 8_640_000_000_000_000 });
const orNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** As an export writes it: what the other installation found the purchase to be. Null: it counts as nothing. */
const SaleMember = orNull(
  Type.Object(
    {
      transactionId: Text,
      kind: Type.Literal('purchase'),
      skuId: orNull(Text),
      price: orNull(Amount),
      currency: orNull(Type.String({ pattern: '^[A-Z]{3}$' })),
      promoId: orNull(Text),
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
      purchaseToken: Type.Optional(Text),
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
  return () => ({ sale: sale as TransactionFact | null });
}
