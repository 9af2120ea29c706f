import { Type } from 'typebox';
import { Compile } from 'typebox/schema';
import { successOf } from '../../platform/admin-api/admin-responses.js';
import { TEXT_FORMS } from '../../platform/lib/text-forms.js';
import { MAX_STUDIOS } from '../admin-api/admin-sessions.js';
import { AccountSchema, STUDIO_EXAMPLE, StudioSchema } from '../games-and-keys/me-schema.js';

/** Requests and responses of signing in, the own account and its second factor. */

const MAX_EMAIL = 254;
/** Long enough that no rules about characters are needed (NIST SP 800-63B). */
export const MIN_PASSWORD = 12;
/** Bounds the work of the hash. */
const MAX_PASSWORD = 256;
const MAX_NAME = 100;

export const Email = Type.String({
  maxLength: MAX_EMAIL,
  pattern: TEXT_FORMS.email.pattern,
  description: 'Upper and lower case are treated as equal',
  examples: ['ada@studio.example'],
});
const NewPassword = Type.String({
  minLength: MIN_PASSWORD,
  maxLength: MAX_PASSWORD,
  description: 'Any characters. A sentence makes a good password.',
});
/** A short password is wrong, not malformed. */
export const GivenPassword = Type.String({ minLength: 1, maxLength: MAX_PASSWORD });
export const PersonName = Type.String({
  minLength: 1,
  maxLength: MAX_NAME,
  pattern: TEXT_FORMS.name.pattern,
  description: 'What the audit log calls the person',
});
const SecondFactorCode = Type.String({
  pattern: TEXT_FORMS.appCode.pattern,
  description: 'The six digits that the authenticator app shows; each code works once',
});
/** For signing in. A person without the phone sends a recovery code. */
export const SignInCode = Type.String({
  pattern: TEXT_FORMS.signInCode.pattern,
  description: 'The six digits that the authenticator app shows, or a recovery code; each code works once',
});
export const LinkToken = Type.String({
  minLength: 1,
  maxLength: 100,
  description: '`token` of the link',
});

export const TOKEN_EXAMPLE = 'b1Qy0n8z5xkqT4dR7mVw2LhJ9sXcE6uFgA3iPoYtKZM';

export const SignInBody = Type.Object(
  { email: Email, password: GivenPassword, code: Type.Optional(SignInCode) },
  {
    title: 'SignInRequest',
    examples: [{ email: 'ada@studio.example', password: 'correct horse battery staple' }],
  },
);

export const SignInLinkBody = Type.Object(
  { token: LinkToken },
  { title: 'SignInLinkRequest', examples: [{ token: TOKEN_EXAMPLE }] },
);

export const SignedInResponse = successOf(
  'SignedInResponse',
  Type.Object({
    account: AccountSchema,
    studios: Type.Array(StudioSchema, { description: `By the time of joining, ${MAX_STUDIOS} at most` }),
    csrfToken: Type.String({
      description: 'To be sent as `X-CSRF-Token` with every request that changes something',
    }),
  }),
  {
    description:
      'The response sets the cookie `savepoint_session` (HttpOnly, SameSite=Strict), and `savepoint_device`, which keeps this device from being slowed down by wrong passwords that other devices send.',
    example: {
      account: {
        accountId: '0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a',
        email: 'ada@studio.example',
        name: 'Ada',
        hasPassword: true,
        hasSecondFactor: false,
      },
      studios: [STUDIO_EXAMPLE],
      csrfToken: 'k0u3mVJ8m1o0fJq5t8m2nD7xG4hB6yR9wE1cS3aZ5pQ',
    },
  },
);

export const SignOutBody = Type.Union(
  [
    Type.Object({
      everywhere: Type.Optional(
        Type.Boolean({ description: 'True: ends all sessions of the account, on all devices' }),
      ),
    }),
    Type.Null(),
  ],
  { examples: [{ everywhere: true }] },
);

export const SignedOutResponse = successOf(
  'SignedOutResponse',
  Type.Object({ sessionsEnded: Type.Integer() }),
  { example: { sessionsEnded: 1 } },
);

const CurrentPassword = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: MAX_PASSWORD,
    description: 'Required if the account has a password',
  }),
);

export const PasswordBody = Type.Object(
  { currentPassword: CurrentPassword, newPassword: NewPassword },
  {
    title: 'PasswordRequest',
    examples: [{ currentPassword: 'correct horse battery staple', newPassword: 'nine purple otters sing' }],
  },
);

export const PasswordResponse = successOf(
  'PasswordResponse',
  Type.Object({
    sessionsEnded: Type.Integer({ description: 'How many other sessions of the account ended' }),
  }),
  { example: { sessionsEnded: 2 } },
);

export const StartSecondFactorBody = Type.Object(
  { currentPassword: CurrentPassword },
  {
    title: 'SecondFactorStartRequest',
    examples: [{ currentPassword: 'correct horse battery staple' }],
  },
);

export const StartedSecondFactorResponse = successOf(
  'SecondFactorStartResponse',
  Type.Object({
    secret: Type.String({ description: 'In Base32, to be typed into an authenticator app. Shown once.' }),
    uri: Type.String({ description: 'The same secret as a URI, for a QR code' }),
  }),
  {
    description: 'The second factor is not on yet. Confirm it with a code of the new secret.',
    example: {
      secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
      uri: 'otpauth://totp/Savepoint:ada%40studio.example?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Savepoint',
    },
  },
);

export const ConfirmSecondFactorBody = Type.Object(
  { code: SecondFactorCode },
  { title: 'SecondFactorConfirmRequest', examples: [{ code: '492039' }] },
);

const RecoveryCodes = Type.Array(Type.String(), {
  description:
    'Each signs you in once instead of a code of the authenticator app. Shown once. The former codes end.',
});
const RECOVERY_CODES_EXAMPLE = ['J7KQ-2XWD-ZN4C-A5RT', 'PB3M-Y6EH-QS2V-LG7U'];

export const ConfirmedSecondFactorResponse = successOf(
  'SecondFactorConfirmResponse',
  Type.Object({ hasSecondFactor: Type.Boolean(), recoveryCodes: RecoveryCodes }),
  { example: { hasSecondFactor: true, recoveryCodes: RECOVERY_CODES_EXAMPLE } },
);

export const NewRecoveryCodesBody = Type.Object(
  { currentPassword: CurrentPassword },
  {
    title: 'RecoveryCodesRequest',
    examples: [{ currentPassword: 'correct horse battery staple' }],
  },
);

export const RecoveryCodesResponse = successOf(
  'RecoveryCodesResponse',
  Type.Object({ recoveryCodes: RecoveryCodes }),
  { example: { recoveryCodes: RECOVERY_CODES_EXAMPLE } },
);

export const RecoveryCodesLeftResponse = successOf(
  'RecoveryCodesLeftResponse',
  Type.Object({ left: Type.Integer({ description: 'How many of the codes were not used yet' }) }),
  { example: { left: 9 } },
);

export const EndSecondFactorBody = Type.Object(
  { currentPassword: CurrentPassword },
  {
    title: 'SecondFactorEndRequest',
    examples: [{ currentPassword: 'correct horse battery staple' }],
  },
);

export const SecondFactorResponse = successOf(
  'SecondFactorResponse',
  Type.Object({ hasSecondFactor: Type.Boolean() }),
  { example: { hasSecondFactor: true } },
);

const EMAIL = Compile(Email);

/** Checks an address that did not come in a body, such as one from the command line. */
export function isEmail(text: string): boolean {
  return EMAIL.Check(text);
}
