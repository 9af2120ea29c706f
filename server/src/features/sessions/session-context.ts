import type { Logger } from 'pino';
import type { Pool } from '../../db/pool.js';
import type { RateLimits } from '../../http/rate-limits.js';
import type { Clock } from '../../lib/clock.js';
import type { Shedding } from '../../overload/shedding.js';
import type { MasterKeys } from '../../security/master-keys.js';
import type { Settings } from '../../settings/settings.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { Decisions } from '../players/decisions.js';
import type { AccessTokens } from './access-token.js';
import type { ApiKeys } from './api-keys.js';
import type { DeviceHashes } from './forgotten-devices.js';
import type { LivePlayers } from './live-players.js';
import type { LoginBatcher } from './login-batcher.js';
import type { RefreshBatcher } from './refresh-batcher.js';
import type { SigningKeys } from './signing-keys.js';

/** What a guarded scope needs of the process to tell who sends a request. */
export type GuardContext = Readonly<{
  settings: Settings;
  accessTokens: AccessTokens;
  livePlayers: LivePlayers;
  signingKeys: SigningKeys;
  rateLimits: RateLimits;
}>;

/** What login, refresh and logout need of the process. */
export type SessionContext = GuardContext &
  Readonly<{
    clock: Clock;
    logger: Logger;
    metrics: Metrics;
    pool: Pool;
    masterKeys: MasterKeys;
    apiKeys: ApiKeys;
    deviceHashes: DeviceHashes;
    loginBatcher: LoginBatcher;
    refreshBatcher: RefreshBatcher;
    decisions: Decisions;
    shedding: Shedding;
  }>;
