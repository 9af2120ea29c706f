import { Type } from 'typebox';
import { nullable, successOf, Time } from '../../../platform/admin-api/admin-responses.js';

/** The service account by which a game asks Google. Its key goes in, and never comes out. */

const EMAIL = 'savepoint@my-project.iam.gserviceaccount.com';

export const AccountBody = Type.Object(
  {
    email: Type.String({ minLength: 3, maxLength: 256, description: '`client_email` of the file of Google' }),
    privateKey: Type.String({
      maxLength: 8_192,
      description: '`private_key` of that file: RSA, PEM. It is stored sealed, and never shown again',
    }),
  },
  {
    additionalProperties: false,
    examples: [{ email: EMAIL, privateKey: '-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----\n' }],
  },
);

const AccountStatus = Type.Object(
  {
    email: Type.String(),
    setAt: Time('When the account was set'),
    lastError: nullable(
      Type.String({ description: 'Why Google could not be asked last; null while it can' }),
    ),
    waiting: Type.Integer({ description: 'Purchases that wait for Google, 1,000 at most' }),
    voidedUntil: nullable(Time('Voided purchases before this time are known')),
  },
  { title: 'GoogleAccountStatus' },
);

export const AccountResponse = successOf('GoogleAccountResponse', nullable(AccountStatus), {
  description: 'Null: the game has no account, and believes signatures alone.',
  example: {
    email: EMAIL,
    setAt: '2026-11-18T12:00:00.000Z',
    lastError: null,
    waiting: 0,
    voidedUntil: '2026-11-18T12:00:05.000Z',
  },
});

export const TestedAccountResponse = successOf(
  'TestedGoogleAccountResponse',
  Type.Object({
    isWorking: Type.Boolean(),
    message: Type.String({ description: 'What Google said, in a sentence' }),
  }),
  { example: { isWorking: true, message: 'Google accepts the account for com.example.game.' } },
);
