import type { OperationsContext, OperationsPart } from '../../studio/module-type.js';
import { createBackupMetrics } from './backup-metrics.js';
import { type BackupSchedule, scheduleBackups } from './backup-schedule.js';

export function openBackups({ databaseDir, settings, clock, logger }: OperationsContext): OperationsPart {
  const metrics = createBackupMetrics();
  let backups: BackupSchedule | undefined;
  return {
    metrics: [metrics],
    async start() {
      backups = await scheduleBackups(databaseDir, { ...settings, now: clock.now, logger, metrics });
    },
    stop: async () => backups?.stop(),
  };
}
