import { isUnavailable } from '../../platform/db/pool.js';
import { describeLoss } from '../../platform/db/unreachable.js';
import { ApiError } from '../../platform/errors.js';
import { StartupError } from '../../platform/lib/startup-error.js';

/**
 * What the command line says about an error: a sentence for what an operator can mend, such as a full disk or a database that has
 * stopped. Undefined for a defect, whose stack trace says where it is. No command has to foresee these errors itself.
 *
 * @param afterwards what became of the work
 */
export function describeFailure(error: unknown, afterwards?: string): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof StartupError) return error.message;
  const sentence =
    describeFileError(error) ??
    (error instanceof ApiError ? describeRefusal(error) : undefined) ??
    describeRight(error) ??
    describeFetch(error) ??
    (isUnavailable(error) ? describeLoss(error) : undefined);
  return sentence === undefined || afterwards === undefined ? sentence : `${sentence} ${afterwards}`;
}

/** What to do about a file or folder, by the error of the system. */
const FILE_ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full: free some space, then run the command again.',
  EDQUOT: 'The quota of the disk is used up: free some space, then run the command again.',
  EROFS: 'The file system can only be read: choose another place.',
  EACCES: 'Give the user who runs this command the right to it, or choose another place.',
  EPERM: 'Give the user who runs this command the right to it, or choose another place.',
  ENOENT: 'There is no such file or folder: check the name.',
  ENOTDIR: 'A part of the path is a file: check the name.',
  EISDIR: 'It is a folder: name a file.',
  EEXIST: 'It exists already: choose another name.',
  ENAMETOOLONG: 'The name is too long: choose another one.',
  EMFILE: 'Too many files are open: raise the limit (ulimit -n).',
  ENFILE: 'Too many files are open on this machine.',
  EIO: 'The disk reports an error: look into the log of the system.',
};
/** Errors of files even where Node names none, as of one that is open already. */
const ONLY_FILES = new Set(['ENOSPC', 'EDQUOT', 'EROFS']);

function describeFileError(error: NodeJS.ErrnoException): string | undefined {
  const { code = '', syscall, path, message } = error;
  const isOfFile = ONLY_FILES.has(code) || (path !== undefined && syscall !== 'connect');
  const advice = isOfFile ? FILE_ADVICE[code] : undefined;
  return advice === undefined ? undefined : `${message}. ${advice}`;
}

/** In the words of the API. */
function describeRefusal(error: ApiError): string | undefined {
  if (error.code === 'internal') return undefined;
  return describeFailure(error.cause) ?? error.message;
}

const INSUFFICIENT_PRIVILEGE = '42501';

function describeRight({ code, message }: Error & { code?: unknown }): string | undefined {
  if (code !== INSUFFICIENT_PRIVILEGE) return undefined;
  return `PostgreSQL refuses it to the role of DATABASE_URL: ${message}. Use the role that the service uses, which owns its tables.`;
}

/** Of a request to another service, such as a bucket. Its reason is a level deeper. */
function describeFetch({ name, message, cause }: Error): string | undefined {
  if (name !== 'TypeError' || message !== 'fetch failed') return undefined;
  const reason = cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : undefined;
  return `A server that this command asks cannot be reached: ${reason ?? 'no reason given'}. Check its address and the network, then run the command again.`;
}
