import type { AdminContext } from '../studios/admin-context.js';
import type { SignInGuesses } from './sign-in-guesses.js';

/** What signing in works with. The guesses are counted by each node for itself. */
export type AccountContext = AdminContext & Readonly<{ guesses: SignInGuesses }>;
