import { createConnection, createServer } from 'node:net';
import { errorCode } from './errno.js';

/** sun_path holds 104 bytes on macOS and 108 on Linux, with the closing zero. */
const MAX_SOCKET_PATH_BYTES = 100;

/** So many wait for it that the kernel takes no more, or the system's rules keep containers apart (SELinux). Nobody there is ECONNREFUSED. */
const ALIVE_NEVERTHELESS = new Set(['EAGAIN', 'EACCES']);

export const isSocketPath = (path: string): boolean => Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES;

/**
 * A socket as a sign of life. A pid says something in its own pid namespace only: to a container with the same volume, the processes of
 * another container do not exist. A socket's file leads to the process that listens, in any container of this machine. The kernel answers
 * for it, also while it is busy or paused, and refuses as soon as it has ended. After a kill -9 the file stays, and nobody answers.
 *
 * @returns undefined where there can be no socket: the path is too long, or it is a file system without them, as some network and desktop mounts are
 */
export async function showLife(path: string): Promise<{ end(): Promise<void> } | undefined> {
  if (!isSocketPath(path)) return undefined;
  const server = createServer((connection) => connection.destroy());
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      // For every user who can reach the folder: a refusal must mean that nobody is there.
      server.listen({ path, readableAll: true, writableAll: true }, resolve);
    });
  } catch {
    return undefined;
  }
  // Such as too many open files: the kernel answers all the same.
  server.on('error', () => {});
  server.unref();
  // Deletes the file, too.
  return { end: () => new Promise((resolve) => server.close(() => resolve())) };
}

/** Whether a process that is alive, in whatever container, listens on this socket. */
export function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    if (!isSocketPath(path)) return resolve(false);
    const connection = createConnection({ path }, () => {
      connection.destroy();
      resolve(true);
    });
    connection.on('error', (error) => resolve(ALIVE_NEVERTHELESS.has(errorCode(error) ?? '')));
  });
}
