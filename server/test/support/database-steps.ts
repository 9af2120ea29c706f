import { pino } from 'pino';
import { MODULES } from '../../src/app/modules.js';
import { openOperations } from '../../src/app/open-operations.js';
import type { Pool } from '../../src/platform/db/pool.js';
import type { MaintenanceStep } from '../../src/platform/lifecycle/maintenance-step.js';
import type { OperationsContext } from '../../src/studio/module-type.js';
import { testSettings } from './harness.js';

/** These want keys, threads or a folder. */
const WANT_MORE = new Set(['erasures', 'voided_purchases', 'waiting_purchases', 'devices', 'predictions']);

/** The steps of maintenance that need nothing but the database. */
export async function databaseSteps(pool: Pool): Promise<readonly MaintenanceStep[]> {
  const ctx = {
    ...{ pool, settings: testSettings(), logger: pino({ level: 'silent' }), clock: { now: Date.now } },
    ...{ deviceHashes: {}, signingKeys: {}, erasureHashes: () => Promise.reject(new Error('no keys')) },
  };
  const { steps } = await openOperations(MODULES, ctx as unknown as OperationsContext);
  return steps.filter(({ name }) => !WANT_MORE.has(name));
}
