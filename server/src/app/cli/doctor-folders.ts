import { constants } from 'node:fs';
import { access, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { nearestExisting } from '../../platform/lib/free-space.js';
import { proveWritable } from '../../platform/lib/write-probe.js';
import { masterKeyFile } from '../../platform/security/master-key-file.js';
import type { Settings } from '../../platform/settings/settings.js';
import { currentUser } from '../../studio/cli/command-actor.js';
import type { DoctorFinding } from '../../studio/cli/doctor-finding.js';
import { erasedListFile } from '../../trust/erasures/list-file.js';

type WrittenFolders = Pick<
  Settings,
  'dataDir' | 'databaseUrl' | 'masterKey' | 'backupDir' | 'eventFiles' | 'erasedList'
>;

/**
 * Makes and deletes a file wherever the service has to write: in the data folder, in those of backups and of event files, and where the
 * list of erased players is.
 */
export async function checkFolders(settings: WrittenFolders): Promise<DoctorFinding[]> {
  const { dataDir, databaseUrl, masterKey, backupDir, eventFiles } = settings;
  const isDataNeeded = databaseUrl === undefined || masterKey === undefined;
  const areBackupsMade = backupDir !== undefined && databaseUrl === undefined;
  return [
    isDataNeeded
      ? await checkDataFolder(settings)
      : { name: `data folder ${dataDir} (not needed for the database and the master key)` },
    ...(areBackupsMade ? [await checkFolder('folder of backups', 'SAVEPOINT_BACKUP_DIR', backupDir)] : []),
    ...(eventFiles === undefined
      ? []
      : [await checkFolder('folder of event files', 'SAVEPOINT_EVENT_FILES_DIR', eventFiles.dir)]),
    await checkErasedList(erasedListFile(settings)),
  ];
}

async function checkDataFolder(settings: WrittenFolders): Promise<DoctorFinding> {
  const finding = await checkFolder('data folder', 'SAVEPOINT_DATA_DIR', settings.dataDir);
  if (finding.problem !== undefined) return finding;
  const file = masterKeyFile(settings);
  const key = await stat(file).catch(() => undefined);
  if (key === undefined || (key.mode & 0o077) === 0) return finding;
  return { ...finding, problem: `${file} can be read by others`, advice: `chmod 600 ${file}` };
}

async function checkFolder(what: string, setting: string, folder: string): Promise<DoctorFinding> {
  const existing = await nearestExisting(folder);
  const name = `${what} ${folder}${existing === folder ? '' : ' (made when it is needed)'}`;
  try {
    await proveWritable(existing);
    // Without these nothing in it is found again.
    await access(existing, constants.R_OK | constants.X_OK);
    return { name };
  } catch (error) {
    return { name, ...whyNotWritten(error as NodeJS.ErrnoException, { setting, path: folder, existing }) };
  }
}

/** The file may belong to another user than its folder, and is only ever added to. */
async function checkErasedList(file: string): Promise<DoctorFinding> {
  const setting = 'SAVEPOINT_ERASED_LIST';
  const finding = await checkFolder('list of erased players in', setting, dirname(file));
  if (finding.problem !== undefined) return finding;
  try {
    await (await open(file, constants.O_WRONLY | constants.O_APPEND)).close();
  } catch (error) {
    const failure = error as NodeJS.ErrnoException;
    if (failure.code !== 'ENOENT')
      return { name: finding.name, ...whyNotWritten(failure, { setting, path: file, existing: file }) };
  }
  return finding;
}

type Place = Readonly<{
  setting: string;
  path: string;
  /** The path, or the nearest folder above it, which is where it failed. */
  existing: string;
}>;

function whyNotWritten(
  { code, message }: NodeJS.ErrnoException,
  { setting, path, existing }: Place,
): Required<Pick<DoctorFinding, 'problem' | 'advice'>> {
  const user = currentUser();
  const make = `install -d -m 750 -o ${user} ${path}`;
  switch (code) {
    case 'EROFS':
      return {
        problem: `${existing} can only be read here`,
        advice: `${path === existing ? '' : `Make the folder: ${make}. `}If systemd runs the service, let it write there: \`systemctl edit savepoint\`, the lines [Service] and ReadWritePaths=${path}, and a restart. If the disk is mounted read-only, mount it for writing.`,
      };
    case 'EACCES':
    case 'EPERM':
      return {
        problem: `the user ${user} may not write to ${existing}`,
        advice: `As root: ${path === existing ? `chown ${user} ${path}` : make}. Or choose another one with ${setting}.`,
      };
    case 'ENOSPC':
    case 'EDQUOT':
      return {
        problem: `the disk of ${existing} is full`,
        advice: `Free some space, or choose another disk with ${setting}.`,
      };
    default:
      return { problem: message, advice: `Choose another one with ${setting}.` };
  }
}
