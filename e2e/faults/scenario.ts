import { setTimeout as sleep } from 'node:timers/promises';
import { type Login, login } from '../support/service.js';
import type { FaultKind } from './fault-kinds.js';
import { scheduleFaults, startFaults } from './faults.js';
import { planEvents } from './numbered-events.js';
import { startBusyProcesses } from './processes.js';
import { seededRandom } from './random.js';
import { type Mode, type Stack, startStack } from './stack.js';
import { startTraffic, type Traffic, type TrafficStatistics } from './traffic.js';
import { type Verification, verify } from './verify.js';

export type ScenarioOptions = {
  mode: Mode;
  seed: number;
  events: number;
  /** A temporary folder if it is left out. */
  dataDir?: string;
  /** The nats-server program to test; any that is new enough if it is left out. */
  natsServer?: string;
  /** Number of processes that keep the machine busy. */
  busyProcesses?: number;
  /** What happens meanwhile, in this order. */
  faults: readonly FaultKind[];
  players: number;
  connections: number;
  /** The service's time-out of a database call; pauses of the database last about as long. */
  databaseTimeoutMs: number;
  /** Players stop sending after this time; the events that were acknowledged by then are checked. */
  timeLimitMs: number;
  say: (line: string) => void;
  /** Called after the check, while everything is still running. */
  inspect?: (stack: Stack, checkAgain: () => Promise<Verification>) => Promise<void>;
};

export type Report = TrafficStatistics &
  Verification & {
    description: string;
    acknowledged: number;
    kills: number;
    faults: Record<string, number>;
    seconds: number;
    /** From the last acknowledgement until everything was applied. */
    drainSeconds: number;
  };

/** The share of requests that a client abandons, besides the connections that are cut all at once. */
const CUT_SHARE = 0.02;
const LOGINS_AT_ONCE = 16;
const LOGIN_PAUSE_MS = 300;
const WATCH_MS = 5_000;
/** Longer than any repair takes: a service that acknowledges nothing for this long hangs. */
const HANG_MS = 300_000;
/** Many times what a message waits for another consumer when its own has died: half a minute. */
const DRAIN_SECONDS = 300;

/**
 *   start everything ─► log in ─► send, repeat, and meanwhile faults ─► wait until the queue is empty ─► check the database
 */
export async function runScenario(options: ScenarioOptions): Promise<Report> {
  const { mode, seed, say } = options;
  const begun = performance.now();
  const endBusyProcesses = startBusyProcesses(options.busyProcesses ?? 0);
  const stack = await startStack(options).catch((error: unknown) => {
    endBusyProcesses();
    throw error;
  });
  try {
    say(`${mode}, seed ${seed}: ${stack.description}`);
    const plan = planEvents({ ...options, startedAtMs: Date.now() });
    const players = await logInPlayers(stack, options.players);
    const faults = scheduleFaults(options.faults, options.events, seededRandom(seed + 1));
    let limit = 0;
    const traffic = startTraffic({
      plan,
      headers: players.map(({ headers }) => headers),
      url: () => `${stack.api()}/v1/events`,
      countsDuplicates: mode === 'direct',
      connections: options.connections,
      cutShare: CUT_SHARE,
      maxAcknowledged: () => limit,
      random: seededRandom(seed + 2),
    });
    let isOver = false;
    const over = traffic.finished.finally(() => {
      isOver = true;
    });
    const faultRun = startFaults(faults, {
      stack,
      traffic,
      random: seededRandom(seed + 3),
      isOver: () => isOver,
      allowUntil: (events) => {
        limit = events;
      },
      say,
    });
    const watch = watchProgress(traffic, options, begun);
    try {
      await Promise.race([Promise.all([over, faultRun.finished]), watch.hang]);
    } finally {
      watch.stop();
      traffic.stop();
    }
    const drained = await drain(stack, say);
    const userIds = players.map(({ userId }) => userId);
    const check = (): Promise<Verification> => verify({ ...traffic, plan, stack, userIds });
    const verification = await check();
    await options.inspect?.(stack, check);
    return {
      ...traffic.statistics(),
      ...verification,
      problems: [...drained.problems, ...verification.problems, ...traffic.statistics().complaints],
      description: stack.description,
      acknowledged: traffic.acknowledgedEvents(),
      kills: faultRun.kills(),
      faults: faultRun.happened(),
      seconds: (performance.now() - begun) / 1000,
      drainSeconds: drained.seconds,
    };
  } catch (error) {
    throw new Error(`${mode}, seed ${seed}: ${(error as Error).message}\n${stack.logs()}`, { cause: error });
  } finally {
    endBusyProcesses();
    // Otherwise this error would hide the error that ended the run.
    await stack
      .stop()
      .catch((error: unknown) => say(`not everything was stopped: ${(error as Error).message}`));
  }
}

async function logInPlayers(stack: Stack, count: number): Promise<Login[]> {
  const players: Login[] = [];
  let next = 0;
  const logIn = async (): Promise<void> => {
    for (let player = next++; player < count; player = next++) {
      players[player] = await logInPatiently(stack, `device-${player}`);
    }
  };
  await Promise.all(Array.from({ length: LOGINS_AT_ONCE }, logIn));
  return players;
}

/** By the contract: 503 and no response mean try again. On a busy machine a login may take longer than the database may here. */
async function logInPatiently(stack: Stack, deviceId: string): Promise<Login> {
  for (const begun = performance.now(); ; await sleep(LOGIN_PAUSE_MS)) {
    try {
      return await login(stack.api(), deviceId);
    } catch (error) {
      // What `fetch` throws without a response.
      const isTemporary = error instanceof TypeError || (error as Error).message.startsWith('login: 503 ');
      if (!isTemporary || performance.now() - begun > HANG_MS) throw error;
    }
  }
}

/** Prints the progress, stops the traffic in time, and rejects when no event is acknowledged any more. */
function watchProgress(
  traffic: Traffic,
  { events, timeLimitMs, say }: ScenarioOptions,
  begun: number,
): { hang: Promise<never>; stop(): void } {
  let stop = (): void => {};
  const hang = new Promise<never>((_, reject) => {
    const timer = setInterval(() => {
      const elapsedMs = performance.now() - begun;
      say(
        `${Math.round(elapsedMs / 1000)} s: ${traffic.acknowledgedEvents()} of ${events} events acknowledged`,
      );
      if (elapsedMs > timeLimitMs) traffic.stop();
      if (traffic.silentForMs() > HANG_MS) {
        reject(new Error(`nothing was acknowledged for ${HANG_MS / 1000} s`));
      }
    }, WATCH_MS);
    stop = () => clearInterval(timer);
  });
  return { hang, stop };
}

/** Waits until the queue is empty. A queue that does not become empty is reported as a problem, and the checks go on. */
async function drain(
  stack: Stack,
  say: (line: string) => void,
): Promise<{ seconds: number; problems: string[] }> {
  const begun = performance.now();
  for (;;) {
    const lag = await stack.lag().catch(() => Number.POSITIVE_INFINITY);
    const seconds = (performance.now() - begun) / 1000;
    if (lag === 0) return { seconds, problems: [] };
    if (seconds > DRAIN_SECONDS) {
      return {
        seconds,
        problems: [`after ${DRAIN_SECONDS} s there were still ${lag} messages in the queue`],
      };
    }
    say(`waiting for ${lag} queued messages`);
    await sleep(1_000);
  }
}
