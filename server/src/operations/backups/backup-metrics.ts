import { Gauge, Registry } from 'prom-client';

export type BackupMetrics = Readonly<{
  registry: Registry;
  /** From here on there is something to be late: a service without backups has no such metrics. */
  begin(nowMs: number): void;
  setBackup(finishedAtMs: number): void;
  setArchived(atMs: number): void;
}>;

/** When the last backup was finished, and when the log of changes was last archived. */
export function createBackupMetrics(): BackupMetrics {
  const registry = new Registry();
  const backup = new Gauge({
    name: 'savepoint_last_backup_timestamp_seconds',
    help: 'When the last backup of the embedded database was finished; 0: there is none.',
    registers: [],
  });
  const archived = new Gauge({
    name: 'savepoint_log_archived_timestamp_seconds',
    help: 'When everything that was due of the log of changes was last in the folder of the backups.',
    registers: [],
  });
  return {
    registry,
    begin(nowMs) {
      for (const gauge of [backup, archived]) registry.registerMetric(gauge);
      // A start is not an archive, but until then nothing is late.
      archived.set(nowMs / 1_000);
    },
    setBackup: (finishedAtMs) => backup.set(finishedAtMs / 1_000),
    setArchived: (atMs) => archived.set(atMs / 1_000),
  };
}
