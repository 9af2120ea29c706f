import { MINUTE_MS } from '../platform/lib/day.js';
import { done, type MaintenanceStep } from '../platform/lifecycle/maintenance-step.js';
import { accessRoutes } from './accounts/access-routes.js';
import { deleteExpiredAccess } from './accounts/account-expiry.js';
import { adminTokenRoutes } from './games-and-keys/admin-token-routes.js';
import { auditRoutes } from './games-and-keys/audit-routes.js';
import { gameRoutes } from './games-and-keys/game-routes.js';
import { keyRoutes } from './games-and-keys/key-routes.js';
import { studioRoutes } from './games-and-keys/studio-routes.js';
import { deleteExpiredExports } from './jobs/export-expiry.js';
import { deleteExpiredJobs } from './jobs/job-expiry.js';
import { jobRoutes } from './jobs/job-routes.js';
import type { OperationsPart } from './module-type.js';
import { rateRoutes } from './money/rate-routes.js';

export function openStudio(): OperationsPart {
  return {
    adminRoutes: [
      studioRoutes,
      jobRoutes,
      auditRoutes,
      gameRoutes,
      rateRoutes,
      keyRoutes,
      adminTokenRoutes,
      accessRoutes,
    ],
    steps: [ACCESS, EXPORTS],
  };
}

const ACCESS: MaintenanceStep = {
  name: 'access',
  maxMs: 2 * MINUTE_MS,
  run: async ({ connection, nowMs, signal }) =>
    done({ accessDeleted: await deleteExpiredAccess(connection, nowMs, signal) }),
};

const EXPORTS: MaintenanceStep = {
  name: 'exports',
  maxMs: 10 * MINUTE_MS,
  run: async ({ connection, nowMs, signal }) =>
    done({
      exportsDeleted: await deleteExpiredExports(connection, nowMs, signal),
      jobsDeleted: await deleteExpiredJobs(connection, nowMs, signal),
    }),
};
