import inspector from 'node:inspector';
import { mapStackTraces } from '../../platform/telemetry/map-stack-traces.js';
import type { ChildOptions } from './child-options.js';
import { BEAT_MS } from './heartbeat.js';

export type RunningChild = Readonly<{ port: number; close(): Promise<void> }>;

/** What a process does next, until it listens: for the log, should it go no further. */
export type StartStep = 'load its code' | 'read the database' | 'build its routes' | 'listen';

export type StartOptions = ChildOptions & Readonly<{ onStep: (step: StartStep) => void }>;

/** What a process tells the primary, besides its responses to questions. */
export type ChildMessage =
  | Readonly<{ type: 'heartbeat'; isInspected: boolean }>
  | Readonly<{ type: 'step'; step: StartStep }>
  | Readonly<{ type: 'listening'; port: number }>;

/**
 * A process of the service that the primary starts, watches, replaces and stops: see supervised-process.ts. Its heartbeat begins
 * before its code is loaded, which takes minutes on a machine that is busy with other things. So this file imports next to nothing.
 *
 * @param load imports the code of the process
 */
export async function runChild(
  load: () => Promise<(options: StartOptions) => Promise<RunningChild>>,
): Promise<void> {
  mapStackTraces();
  if (process.send === undefined) {
    throw new Error('this process is started by `savepoint start`, not by hand');
  }
  // Ctrl-C reaches the whole process group; the primary decides when a process stops.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
  process.once('disconnect', () => process.exit(1));
  let options: ChildOptions | undefined;
  let running: RunningChild | undefined;
  process.on('message', (message: { type?: string }) => {
    if (message.type === 'stop') void stop(running, options?.logger);
  });
  setInterval(() => tell({ type: 'heartbeat', isInspected: inspector.url() !== undefined }), BEAT_MS);

  const onStep = (step: StartStep): void => tell({ type: 'step', step });
  onStep('load its code');
  const { readChildOptions, isRotatedMasterKey } = await import('./child-options.js');
  const start = await load();
  try {
    options = readChildOptions();
    running = await start({ ...options, onStep });
  } catch (error) {
    if (!isRotatedMasterKey(error)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
  tell({ type: 'listening', port: running.port });
}

/** A primary that is gone ends this process: nothing is to be done about what could not be told. */
function tell(message: ChildMessage): void {
  process.send?.(message, undefined, undefined, () => {});
}

async function stop(
  running: RunningChild | undefined,
  logger: ChildOptions['logger'] | undefined,
): Promise<void> {
  try {
    await running?.close();
    process.exit(0);
  } catch (error) {
    logger?.error({ err: error }, 'a process could not be stopped cleanly');
    process.exit(1);
  }
}
