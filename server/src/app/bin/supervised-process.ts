import type { ChildProcess } from 'node:child_process';
import type { Logger } from 'pino';
import type { ChildMessage, StartStep } from './child.js';
import { BEAT_MS, Heartbeat, type Pulse } from './heartbeat.js';
import { restartDelayMs } from './restart-delay.js';

/** For the requests in flight. A process that has not ended by then is killed. */
const STOP_MS = 6_000;
/** An operator who waits for a start is told of what it is busy with, then again after twice the time. */
const SLOW_START_SECONDS = 30;

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
  /** Calls `tick` every `BEAT_MS`, until the function that it returns is called. */
  schedule?: (tick: () => void) => () => void;
};

type EndOfProcess = Readonly<{ code?: number | null; signal?: NodeJS.Signals | null; err?: Error }>;

const STOP_SIGNALS: ReadonlySet<string> = new Set(['SIGINT', 'SIGTERM', 'SIGHUP']);

function everyBeat(tick: () => void): () => void {
  const timer = setInterval(tick, BEAT_MS);
  return () => clearInterval(timer);
}

/**
 * Keeps one process running. A process that ends is started again; one whose event loop does not turn is killed first, because it
 * would not notice anything gentler. Whatever it has acknowledged is stored, and what it has not, its clients send again.
 *
 *   running ──exit──► ended ──delay──► running
 *      └──stuck: SIGKILL──┘
 *
 * A start that is stuck is given twice the time of the start before: a machine that is too busy for one would be too busy for the next.
 */
export function supervise({
  name,
  fork,
  stuckSeconds,
  logger,
  schedule = everyBeat,
}: Options): SupervisedProcess {
  const replacements = { stuck: 0, ended: 0 };
  let child: ChildProcess | undefined;
  let heartbeat = new Heartbeat(stuckSeconds);
  let isKilled = false;
  let isStopping = false;
  let shortLives = 0;
  let stuckStarts = 0;
  let step: StartStep | undefined;
  let slowSeconds = SLOW_START_SECONDS;
  let startingTicks = 0;
  let restart: NodeJS.Timeout | undefined;
  let announce: (port: number) => void = () => {};
  const listening = new Promise<number>((resolve) => {
    announce = resolve;
  });

  const start = (): void => {
    const bornAt = performance.now();
    const started = fork();
    const pulse = new Heartbeat(stuckSeconds, stuckStarts);
    child = started;
    heartbeat = pulse;
    isKilled = false;
    step = undefined;
    slowSeconds = SLOW_START_SECONDS;
    startingTicks = 0;
    started.on('message', (given) => {
      const message = given as ChildMessage;
      if (message.type === 'heartbeat') pulse.beat(message.isInspected);
      if (message.type === 'step') {
        step = message.step;
        pulse.advances();
      }
      if (message.type !== 'listening') return;
      stuckStarts = 0;
      pulse.listens();
      if (replacements.stuck + replacements.ended > 0)
        logger.info({ process: started.pid }, `${name} listens again`);
      announce(message.port);
    });
    const ended = (why: EndOfProcess): void => {
      child = undefined;
      if (isStopping) return;
      replacements[isKilled ? 'stuck' : 'ended']++;
      const life = restartDelayMs(performance.now() - bornAt, shortLives);
      shortLives = life.shortLives;
      // Ctrl-C reaches the whole process group, and this process before it could ignore it: the primary stops as well.
      const level = STOP_SIGNALS.has(why.signal ?? '') ? 'info' : 'error';
      logger[level]({ process: started.pid, ...why }, `${name} has ended; starting another`);
      restart = setTimeout(start, life.delayMs);
    };
    started.once('exit', (code, signal) => ended({ code, signal }));
    // Without a pid it could not be started at all, and there will be no exit.
    started.on('error', (error) => {
      if (started.pid === undefined) ended({ err: error });
    });
  };

  const noteSlowStart = (process: number | undefined): void => {
    const seconds = (++startingTicks * BEAT_MS) / 1000;
    if (seconds < slowSeconds) return;
    slowSeconds *= 2;
    logger.warn({ process, seconds, step }, `${name} is still starting`);
  };

  const stopWatching = schedule(() => {
    if (child === undefined || isKilled) return;
    heartbeat.tick();
    const { silentSeconds, isListening } = heartbeat;
    if (heartbeat.pulse !== 'stuck') {
      if (!isListening) noteSlowStart(child.pid);
      return;
    }
    isKilled = true;
    if (!isListening) stuckStarts++;
    const where = isListening ? { silentSeconds } : { silentSeconds, step };
    logger.error({ process: child.pid, ...where }, `${name} does not turn its event loop; killing it`);
    child.kill('SIGKILL');
  });
  start();

  return {
    listening,
    child: () => child,
    status: () => statusOf(child, heartbeat),
    replacements: () => replacements,
    async stop() {
      isStopping = true;
      stopWatching();
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
