import type { AdminContext } from '../admin-api/admin-context.js';
import type { SignInGuesses } from './sign-in-guesses.js';

/** What the account routes need. Each node counts the wrong guesses that it receives. */
export type AccountContext = AdminContext & Readonly<{ guesses: SignInGuesses }>;
