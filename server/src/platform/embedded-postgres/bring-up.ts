import { setTimeout as sleep } from 'node:timers/promises';
import { StartupError } from '../lib/startup-error.js';
import type { Binaries } from './binaries.js';
import { explainProgramFailure, readTail, sizeOf } from './failures.js';
import { askServer, type Login } from './login.js';
import { adoptPostmaster, launchPostmaster, type Postmaster, shutDown } from './postmaster.js';
import { disarmStaleLocks, findRunningServer } from './postmaster-pid.js';
import { serverArguments } from './server-settings.js';
import type { ServerUser } from './server-user.js';

/** Everything needed to start the server again in the same place, so that its URL stays good. */
export type ServerSpec = {
  readonly dataDir: string;
  readonly clusterDir: string;
  readonly logFile: string;
  readonly login: Login;
  readonly binaries: Binaries;
  readonly user: ServerUser | undefined;
  readonly settings: Readonly<Record<string, string>>;
  readonly say: (line: string) => void;
};

const SAY_AFTER_MS = 2_000;
/** For a server that does not respond, one that shuts down, and the remains of a killed one. */
const TIMEOUT_MS = 60_000;
/** For one that says it is recovering: max_wal_size of log takes a slow disk more than a minute. */
const RECOVERY_TIMEOUT_MS = 600_000;

/**
 *          ┌──────────────────────── it ended, retryable ───────────────────────┐
 *          ▼                                                                    │
 *   look for a server ── none ──► start one ──┐                                 │
 *     │           └────── running ─► adopt it ┴─► wait for a response ─► ready   │
 *     └─ shutting down ─► wait until it is gone ────────────────────────────────┘
 */
export async function bringUp(spec: ServerSpec, signal: AbortSignal): Promise<Postmaster> {
  const waiting = startWaiting(spec.say, signal);
  for (;;) {
    const running = await findRunningServer(spec.clusterDir);
    if (running?.isStopping) {
      await waiting.pause(
        `Waiting for the previous PostgreSQL (pid ${running.pid}) to shut down…`,
        TIMEOUT_MS,
      );
      continue;
    }
    const logOffset = await sizeOf(spec.logFile);
    const postmaster = running === undefined ? await launch(spec) : adoptPostmaster(running.pid);
    if (await becomesReady(spec, postmaster, waiting, signal)) return postmaster;

    const output = await readTail(spec.logFile, logOffset);
    // Children of a killed server still hold its memory, or a server that a killed service had just started
    // came first. A server that was adopted left its reasons before we looked: start one of our own.
    const isRetryable = /pre-existing shared memory block|lock file ".*" (already exists|is empty)/.test(
      output,
    );
    if (!isRetryable && !postmaster.adopted) {
      const what = 'PostgreSQL ended while starting';
      throw explainProgramFailure(output, { ...spec, what });
    }
    await waiting.pause('Waiting for the remains of the previous PostgreSQL to end…', TIMEOUT_MS);
  }
}

async function launch(spec: ServerSpec): Promise<Postmaster> {
  const { clusterDir, login, user, logFile } = spec;
  await disarmStaleLocks(clusterDir, login.socketDir, login.port);
  const args = serverArguments({ clusterDir, ...login, extra: spec.settings });
  return launchPostmaster({ program: spec.binaries.postgres, args, logFile, user });
}

/** False when the server ended instead. */
async function becomesReady(
  spec: ServerSpec,
  postmaster: Postmaster,
  waiting: Waiting,
  signal: AbortSignal,
): Promise<boolean> {
  const line = `Waiting for PostgreSQL (pid ${postmaster.pid}) to finish starting up…`;
  let ranOutWhileBusy = false;
  try {
    while (postmaster.isRunning()) {
      const state = await askServer(spec.login);
      if (state === 'ready') return true;
      const timeoutMs = state === 'busy' ? RECOVERY_TIMEOUT_MS : TIMEOUT_MS;
      ranOutWhileBusy = state === 'busy';
      await waiting.pause(line, timeoutMs);
      ranOutWhileBusy = false;
    }
    return false;
  } catch (error) {
    // A failure leaves no server of our own behind, except one that still recovers: its progress would be
    // lost, and the next start adopts it. A stop asked for meanwhile stops them all.
    const isLeftAlone = postmaster.adopted || ranOutWhileBusy;
    if (signal.aborted || !isLeftAlone) await shutDown(postmaster, spec.clusterDir);
    throw error;
  }
}

type Waiting = { pause(line: string, timeoutMs: number): Promise<void> };

/** One clock for a whole start: silent at first, then a line per thing waited for, then an error. */
function startWaiting(say: (line: string) => void, signal: AbortSignal): Waiting {
  const begun = performance.now();
  const said = new Set<string>();
  return {
    async pause(line, timeoutMs) {
      const elapsedMs = performance.now() - begun;
      if (elapsedMs > timeoutMs) {
        throw new StartupError(
          `PostgreSQL was not ready after ${Math.round(elapsedMs / 1000)} s (${line}). Look into postgres.log in the data folder, then start again.`,
        );
      }
      if (elapsedMs > SAY_AFTER_MS && !said.has(line)) {
        said.add(line);
        say(line);
      }
      // A response usually comes within milliseconds, so the first tries follow each other quickly and later ones slowly.
      await sleep(elapsedMs < SAY_AFTER_MS ? 25 : 250, undefined, { signal });
    },
  };
}
