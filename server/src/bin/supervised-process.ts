import type { ChildProcess } from 'node:child_process';
import type { Logger } from 'pino';
import type { ChildMessage } from './child.js';
import { BEAT_MS, Heartbeat, type Pulse } from './heartbeat.js';
import { restartDelayMs } from './restart-delay.js';

/** For the requests in flight. A process that has not ended by then is killed. */
const STOP_MS = 6_000;

export type ProcessState = Exclude<Pulse, 'stuck'> | 'ended';
export type Replacements = Readonly<Record<'stuck' | 'ended', number>>;
export type ProcessStatus = Readonly<{ pid: number | null; state: ProcessState; silentSeconds: number }>;

export type SupervisedProcess = Readonly<{
  /** The port, once it listens for the first time. */
  listening: Promise<number>;
  /** The process that runs now. */
  child(): ChildProcess | undefined;
  status(): ProcessStatus;
  replacements(): Replacements;
  stop(): Promise<void>;
}>;

type Options = {
  name: string;
  /** Starts the process; it must be one of child.ts. */
  fork: () => ChildProcess;
  /** How long its event loop may stand still. */
  stuckSeconds?: number;
  logger: Logger;
};

/**
 * Keeps one process running. A process that ends is started again; one whose event loop does not turn is killed first, because it
 * would not notice anything gentler. Whatever it has acknowledged is stored, and what it has not, its clients send again.
 *
 *   running ──exit──► ended ──delay──► running
 *      └──stuck: SIGKILL──┘
 */
export function supervise({ name, fork, stuckSeconds, logger }: Options): SupervisedProcess {
  const replacements = { stuck: 0, ended: 0 };
  let child: ChildProcess | undefined;
  let heartbeat = new Heartbeat(stuckSeconds);
  let isKilled = false;
  let isStopping = false;
  let shortLives = 0;
  let restart: NodeJS.Timeout | undefined;
  let announce: (port: number) => void = () => {};
  const listening = new Promise<number>((resolve) => {
    announce = resolve;
  });

  const start = (): void => {
    const bornAt = performance.now();
    const started = fork();
    const pulse = new Heartbeat(stuckSeconds);
    child = started;
    heartbeat = pulse;
    isKilled = false;
    started.on('message', (given) => {
      const message = given as ChildMessage;
      if (message.type === 'heartbeat') pulse.beat(message.isInspected);
      if (message.type !== 'listening') return;
      pulse.listens();
      announce(message.port);
    });
    const ended = (why: object): void => {
      child = undefined;
      if (isStopping) return;
      replacements[isKilled ? 'stuck' : 'ended']++;
      const life = restartDelayMs(performance.now() - bornAt, shortLives);
      shortLives = life.shortLives;
      logger.error({ process: started.pid, ...why }, `${name} has ended; starting another`);
      restart = setTimeout(start, life.delayMs);
    };
    started.once('exit', (code, signal) => ended({ code, signal }));
    // Without a pid it could not be started at all, and there will be no exit.
    started.on('error', (error) => {
      if (started.pid === undefined) ended({ err: error });
    });
  };

  const watch = setInterval(() => {
    if (child === undefined || isKilled) return;
    heartbeat.tick();
    if (heartbeat.pulse !== 'stuck') return;
    isKilled = true;
    const { silentSeconds } = heartbeat;
    logger.error({ process: child.pid, silentSeconds }, `${name} does not turn its event loop; killing it`);
    child.kill('SIGKILL');
  }, BEAT_MS);
  start();

  return {
    listening,
    child: () => child,
    status: () => statusOf(child, heartbeat),
    replacements: () => replacements,
    async stop() {
      isStopping = true;
      clearInterval(watch);
      clearTimeout(restart);
      if (child !== undefined) await stopped(child);
    },
  };
}

function statusOf(child: ChildProcess | undefined, { pulse, silentSeconds }: Heartbeat): ProcessStatus {
  if (child === undefined) return { pid: null, state: 'ended', silentSeconds: 0 };
  return { pid: child.pid ?? null, state: pulse === 'stuck' ? 'silent' : pulse, silentSeconds };
}

function stopped(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    const giveUp = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    child.once('exit', () => {
      clearTimeout(giveUp);
      resolve();
    });
    child.send({ type: 'stop' }, () => {});
  });
}
