import { createServer } from 'node:net';
import { StartupError } from '../../platform/lib/startup-error.js';

/** Throws a sentence for operators where a listener cannot be opened. */
export function refuseTakenPort(host: string, port: number, setting: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        new StartupError(
          error.code === 'EADDRINUSE'
            ? `Port ${port} on ${host} is taken by another program. Stop it, or choose another port with ${setting}.`
            : `Cannot listen on ${host}:${port} (${error.code}). Choose another address or port with ${setting}.`,
        ),
      );
    });
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}
