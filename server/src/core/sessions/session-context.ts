import type { Logger } from 'pino';
import type { Pool } from '../../platform/db/pool.js';
import type { Clock } from '../../platform/lib/clock.js';
import type { Shedding } from '../../platform/overload/shedding.js';
import type { MasterKeys } from '../../platform/security/master-keys.js';
import type { Metrics } from '../../platform/telemetry/metrics.js';
import type { Decisions } from '../players/decisions.js';
import type { ApiKeys } from './api-keys.js';
import type { DeviceHashes } from './forgotten-devices.js';
import type { GuardContext } from './guard-context.js';
import type { LoginBatcher } from './login-batcher.js';
import type { RefreshBatcher } from './refresh-batcher.js';

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
