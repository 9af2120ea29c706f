import { Type } from 'typebox';
import { nullable, successOf } from '../../platform/admin-api/admin-responses.js';
import { TEXT_FORMS } from '../../platform/lib/text-forms.js';

const strict = { additionalProperties: false } as const;
const AppId = (description: string) => Type.String({ pattern: TEXT_FORMS.appId.pattern, description });

const EXAMPLE = {
  apple: { bundleIds: ['com.example.game'] },
  google: null,
  counts: 'verified' as const,
  maxPrices: { USD: '199.99' },
  testers: [],
};

/** The settings of a game for stores. A PUT replaces all of them. */
export const StoresBody = Type.Object(
  {
    apple: nullable(
      Type.Object(
        {
          bundleIds: Type.Array(AppId('Bundle id of an app of the game'), {
            minItems: 1,
            maxItems: 10,
            uniqueItems: true,
          }),
        },
        {
          ...strict,
          description:
            'Null: receipts of Apple are rejected as `store_not_configured`, and wait in the inbox',
        },
      ),
    ),
    google: nullable(
      Type.Object(
        {
          packageName: AppId('Package name of the app'),
          publicKey: Type.String({
            maxLength: 2_048,
            description: 'Licence key of the app, as the Play Console shows it: RSA, Base64',
          }),
          push: nullable(
            Type.Object(
              {
                audience: Type.String({
                  minLength: 1,
                  maxLength: 512,
                  description: 'Audience of the push subscription',
                }),
                account: Type.String({
                  minLength: 3,
                  maxLength: 256,
                  description: 'Address of the service account that the subscription signs with',
                }),
              },
              { ...strict, description: 'Null: notifications of Google are refused' },
            ),
          ),
        },
        {
          ...strict,
          description:
            'Null: receipts of Google are rejected as `store_not_configured`, and wait in the inbox',
        },
      ),
    ),
    counts: Type.Union([Type.Literal('everything'), Type.Literal('verified')], {
      description:
        'Which purchases count for isPayer, spend and offers. With `verified`, purchases and refunds that only a client tells of count as nothing. Holds for what is received after the change',
    }),
    maxPrices: Type.Record(
      Type.String({ pattern: TEXT_FORMS.currency.pattern }),
      Type.String({ pattern: TEXT_FORMS.price.pattern }),
      {
        maxProperties: 200,
        description:
          'Largest believable price of a purchase without a receipt, by currency: `price_implausible` above it',
      },
    ),
    testers: Type.Array(Type.String({ format: 'uuid', description: '`userId` of a player' }), {
      maxItems: 1_000,
      uniqueItems: true,
      description: 'Players whose sandbox purchases count, without a price',
    }),
  },
  { ...strict, examples: [EXAMPLE] },
);

export const StoresResponse = successOf('StoresResponse', StoresBody, { example: EXAMPLE });

/** A receipt as in the payload of a purchase; anything is accepted, because the answer says what is wrong with it. */
export const TestReceiptBody = Type.Object(
  {
    receipt: Type.Unknown({ description: 'As `payload.receipt` of a `Purchase`' }),
    userId: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'The player who would send it; by default none of the game',
      }),
    ),
  },
  {
    ...strict,
    examples: [
      { receipt: { store: 'apple', signedTransaction: 'eyJhbGciOiJFUzI1NiIsIng1YyI6W119.e30.c2ln' } },
    ],
  },
);

export const TestedReceiptResponse = successOf(
  'TestedReceiptResponse',
  Type.Object({
    isAccepted: Type.Boolean(),
    code: nullable(Type.String({ description: 'The code that the event would be rejected with' })),
    message: Type.String({ description: 'What would happen to the purchase, in a sentence' }),
  }),
  {
    example: {
      isAccepted: true,
      code: null,
      message: 'Proved by apple: gems-100, transaction 2000000123456789, 10.99 USD.',
    },
  },
);
