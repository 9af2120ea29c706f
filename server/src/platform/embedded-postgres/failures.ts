import { open, stat } from 'node:fs/promises';
import { StartupError } from '../lib/startup-error.js';
import { errorCode, ifExists } from './errno.js';

/** Enough for PostgreSQL's FATAL, DETAIL and HINT, little enough to read. */
const SHOWN_LOG_LINES = 8;
const READ_LOG_BYTES = 16 * 1024;

const REASONS = new Map([
  ['EACCES', 'permission denied'],
  ['EPERM', 'not permitted'],
  ['EROFS', 'the file system is read-only'],
  ['ENOTDIR', 'a part of the path is a file'],
  ['EEXIST', 'there is a file of that name'],
  ['ENOENT', 'it cannot be created there'],
]);

export function diskFull(dataDir: string): StartupError {
  return new StartupError(
    `The disk that holds the data folder ${dataDir} is full. Free some space, or set SAVEPOINT_DATA_DIR to a folder on another disk, then start again.`,
  );
}

/** A file operation failed; anything else is a bug and keeps its stack. */
export function explainFileError(error: unknown, dataDir: string): unknown {
  const code = errorCode(error);
  const reason = fileReason(error);
  if (reason === undefined) return error;
  if (code === 'ENOSPC' || code === 'EDQUOT') return diskFull(dataDir);
  return new StartupError(
    `Savepoint cannot write to its data folder ${dataDir} (${reason}). Make the folder writable for the user who runs Savepoint, or set SAVEPOINT_DATA_DIR to another one.`,
    { cause: error },
  );
}

/** Why a file operation failed, and where. Undefined for any other error. */
export function fileReason(error: unknown): string | undefined {
  const code = errorCode(error);
  if (!(error instanceof Error) || !('syscall' in error) || code === undefined) return undefined;
  const where = 'path' in error && typeof error.path === 'string' ? ` at ${error.path}` : '';
  return `${REASONS.get(code) ?? error.message}${where}`;
}

/** `output` is what initdb or postgres said before it gave up. */
export function explainProgramFailure(
  output: string,
  context: { what: string; dataDir: string; logFile?: string },
): StartupError {
  if (/No space left on device|Disk quota exceeded|Check free disk space/.test(output))
    return diskFull(context.dataDir);
  if (/could not look up effective user ID/.test(output)) {
    return new StartupError(
      `PostgreSQL cannot be set up because the user id ${process.getuid?.() ?? ''} has no name on this system. Add it to /etc/passwd, run Savepoint as another user, or set DATABASE_URL to use a PostgreSQL of your own.`,
    );
  }
  if (/could not map anonymous shared memory|could not create shared memory segment/.test(output)) {
    return new StartupError(
      'PostgreSQL cannot get the memory for its cache of pages from this system. Set SAVEPOINT_DB_BUFFERS to less, such as 128MB, then start again.',
    );
  }
  const lines = output.trimEnd().split('\n').slice(-SHOWN_LOG_LINES).join('\n');
  const where = context.logFile === undefined ? '' : ` (all of it in ${context.logFile})`;
  return new StartupError(`${context.what}. It said${where}:\n${lines || '(nothing)'}`);
}

export async function sizeOf(path: string): Promise<number> {
  return (await ifExists(stat(path)))?.size ?? 0;
}

/** What was appended since the file had `offset` bytes: the last 16 kB of it. */
export async function readTail(path: string, offset: number): Promise<string> {
  const file = await ifExists(open(path, 'r'));
  if (file === undefined) return '';
  try {
    const { size } = await file.stat();
    // Shorter than before: it was rotated meanwhile, and all of it is new.
    const start = Math.max(size < offset ? 0 : offset, size - READ_LOG_BYTES);
    if (start >= size) return '';
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), {
      position: start,
    });
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
