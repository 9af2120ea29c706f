import type { RateLimits } from '../../platform/http/rate-limits.js';
import type { Settings } from '../../platform/settings/settings.js';
import type { AccessTokens } from './access-token.js';
import type { LivePlayers } from './live-players.js';
import type { SigningKeys } from './signing-keys.js';

/** What a guarded scope needs of the process to know who sends a request. */
export type GuardContext = Readonly<{
  settings: Settings;
  accessTokens: AccessTokens;
  livePlayers: LivePlayers;
  signingKeys: SigningKeys;
  rateLimits: RateLimits;
}>;
