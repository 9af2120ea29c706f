import { ApiError } from '../../errors.js';
import { MIN_PASSWORD } from './account-schemas.js';

/** A password with fewer different characters is a pattern on the keyboard. */
const MIN_DISTINCT = 5;

/** Refuses short and trivial passwords. There are no rules about kinds of characters: such rules lead to worse passwords. */
export function refuseWeakPassword(password: string, email: string): void {
  const isShort = password.length < MIN_PASSWORD;
  const isRepeated = new Set(password.toLowerCase()).size < MIN_DISTINCT;
  const isOwnEmail = password.toLowerCase() === email.toLowerCase();
  if (!isShort && !isRepeated && !isOwnEmail) return;
  throw new ApiError('password_weak', {
    message: isShort
      ? `The password must have at least ${MIN_PASSWORD} characters. A sentence makes a good password.`
      : isOwnEmail
        ? 'The password must not be your email address.'
        : `The password must have at least ${MIN_DISTINCT} different characters.`,
  });
}
