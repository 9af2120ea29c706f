import { StartupError } from '../../platform/lib/startup-error.js';
import { MAX_TOKEN_NAME } from '../games-and-keys/admin-token-schemas.js';
import { printable } from './printable.js';

/** The name of `--name`: the actor in the audit log. */
export function readName(text: string): string {
  const name = text.trim();
  if (name !== '' && name.length <= MAX_TOKEN_NAME && printable(name) === name) return name;
  throw new StartupError(`--name must be 1 to ${MAX_TOKEN_NAME} printable characters.`);
}
