import { ApiError } from '../../platform/errors.js';
import { isCommonPassword } from '../../platform/security/common-passwords.js';
import { isKeyboardRun, isRepetition } from '../../platform/security/password-patterns.js';
import { MIN_PASSWORD } from './account-schemas.js';

/** A password with fewer different characters is a pattern on the keyboard. */
const MIN_DISTINCT = 5;

/**
 * Refuses passwords that are short or that programs guess first. There are no rules about kinds of characters: such rules lead to
 * worse passwords.
 */
export async function refuseWeakPassword(password: string, email: string): Promise<void> {
  const problem = await problemOf(password, email);
  if (problem !== undefined)
    throw new ApiError('password_weak', { message: `${problem} A sentence makes a good password.` });
}

async function problemOf(password: string, email: string): Promise<string | undefined> {
  if (password.length < MIN_PASSWORD) return `The password must have at least ${MIN_PASSWORD} characters.`;
  if (password.toLowerCase() === email.toLowerCase()) return 'The password must not be your email address.';
  if (isRepetition(password)) return 'The password must not repeat a shorter text.';
  if (isKeyboardRun(password)) return 'The password must not consist of neighbouring keys or letters.';
  if (new Set(password.toLowerCase()).size < MIN_DISTINCT)
    return `The password must have at least ${MIN_DISTINCT} different characters.`;
  if (await isCommonPassword(password)) return 'The password is one of the commonest, or nearly so.';
  return undefined;
}
