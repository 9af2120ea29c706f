import { stat } from 'node:fs/promises';
import type { Backup } from '../../platform/embedded-postgres/backup/backup-folder.js';
import {
  type BackupStore,
  claimStore,
  copyBackup,
  copyLog,
  listStoredLog,
  pruneStore,
  storeUntil,
} from '../../platform/embedded-postgres/backup/backup-store.js';
import { addStoredErasedList, storeErasedList } from '../../trust/erasures/stored-list.js';

/** The copy of the backups in a bucket, where there is one. */
export type BackupCopies = Readonly<{
  /** The log that the bucket lacks, and the list of erased players. */
  copyLog(signal: AbortSignal): Promise<void>;
  /**
   * Backups that the bucket lacks, the oldest first; then old ones are deleted there. A damaged backup does not keep the others out: its error is
   * thrown at the end.
   */
  copyBackups(backups: readonly Backup[], signal: AbortSignal): Promise<void>;
  has(backup: Backup): boolean;
}>;

type Options = Readonly<{
  backupDir: string;
  backupsKept: number;
  /** The list of erased players of this service. */
  erasedFile: string;
}>;

export const NO_COPIES: BackupCopies = {
  async copyLog() {},
  async copyBackups() {},
  has: () => true,
};

export function createBackupCopies(opened: BackupStore, options: Options): BackupCopies {
  const { backupDir, backupsKept, erasedFile } = options;
  const copied = new Set<string>();
  let log: Set<string> | undefined;
  let erasedBytes: number | undefined;

  /** The list only grows, so its size says whether the bucket has all of it. */
  const copyErased = async (store: BackupStore) => {
    if (erasedBytes === undefined) await addStoredErasedList(store, erasedFile);
    const size = (await stat(erasedFile).catch(() => undefined))?.size ?? 0;
    if (size !== (erasedBytes ?? 0)) await storeErasedList(store, erasedFile);
    erasedBytes = size;
  };

  return {
    async copyLog(signal) {
      const store = storeUntil(opened, signal);
      if (log === undefined) {
        await claimStore(store, backupDir);
        log = await listStoredLog(store);
      }
      await copyLog(store, backupDir, log);
      await copyErased(store);
    },
    async copyBackups(backups, signal) {
      const missing = backups.filter(({ name }) => !copied.has(name));
      if (missing.length === 0) return;
      const store = storeUntil(opened, signal);
      await claimStore(store, backupDir);
      const failures = new Map<string, unknown>();
      for (const backup of missing) {
        try {
          await copyBackup(store, backup);
          copied.add(backup.name);
        } catch (error) {
          signal.throwIfAborted();
          failures.set(backup.name, error);
        }
      }
      await pruneStore(store, backupsKept, [...failures.keys()]);
      for (const error of failures.values()) throw error;
    },
    has: ({ name }) => copied.has(name),
  };
}
