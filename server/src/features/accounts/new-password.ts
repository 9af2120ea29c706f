import { ApiError } from '../../errors.js';
import { MIN_PASSWORD } from './account-schemas.js';

/** Fewer are a pattern on the keyboard. */
const MIN_DISTINCT = 5;

/** What length alone does not tell. Nothing else is asked of a password: rules about its characters make for worse ones. */
export function refuseWeakPassword(password: string, email: string): void {
  const isShort = password.length < MIN_PASSWORD;
  const isRepeated = new Set(password.toLowerCase()).size < MIN_DISTINCT;
  const isOwnEmail = password.toLowerCase() === email.toLowerCase();
  if (!isShort && !isRepeated && !isOwnEmail) return;
  throw new ApiError('password_weak', {
    message: isShort
      ? `The password must have at least ${MIN_PASSWORD} characters. A sentence is a good one.`
      : isOwnEmail
        ? 'The password must not be your email address.'
        : `The password must have at least ${MIN_DISTINCT} different characters.`,
  });
}
