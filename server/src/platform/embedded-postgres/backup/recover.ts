import { setTimeout as sleep } from 'node:timers/promises';
import { StartupError } from '../../lib/startup-error.js';
import { bringUp, type ServerSpec } from '../bring-up.js';
import { explainProgramFailure, readTail, sizeOf } from '../failures.js';
import { withSuperuser } from '../login.js';
import { type Postmaster, requireStopped, shutDown } from '../postmaster.js';

const LOOK_EVERY_MS = 200;

/**
 * Runs the server until it has read the log, up to a moment or to its end, and may be written to again. It is stopped then.
 *
 * @returns the time of the last transaction in it, if the log held one
 */
export async function recover(
  spec: ServerSpec,
  at: Date | undefined,
  { signal, onReached }: { signal: AbortSignal; onReached: (time: Date) => void },
): Promise<Date | undefined> {
  const logOffset = await sizeOf(spec.logFile);
  const settings: Record<string, string> = {
    ...spec.settings,
    // All of the log is in place already.
    restore_command: 'false',
    recovery_target_timeline: 'current',
    recovery_target_action: 'promote',
    // PostgreSQL does not know the zone "Z" yet when it reads its arguments.
    ...(at === undefined ? {} : { recovery_target_time: at.toISOString().replace('Z', '+00') }),
  };
  let postmaster: Postmaster | undefined;
  try {
    postmaster = await bringUp({ ...spec, settings }, signal);
    const reached = await untilRecovered(spec, postmaster, signal, onReached);
    await shutDown(postmaster, spec.clusterDir);
    requireStopped(postmaster);
    return reached;
  } catch (error) {
    signal.throwIfAborted();
    throw explain(await readTail(spec.logFile, logOffset), spec, at) ?? error;
  } finally {
    if (postmaster !== undefined) await shutDown(postmaster, spec.clusterDir);
  }
}

async function untilRecovered(
  { login, logFile, dataDir }: ServerSpec,
  postmaster: Postmaster,
  signal: AbortSignal,
  onReached: (time: Date) => void,
): Promise<Date | undefined> {
  for (;;) {
    const state = await withSuperuser(login, async (connection) => {
      const { rows } = await connection.query<{ isRecovering: boolean; reached: Date | null }>(
        'select pg_is_in_recovery() as "isRecovering", pg_last_xact_replay_timestamp() as reached',
      );
      // A stop must not take longer than its time limit because of what is not yet written.
      if (rows[0]?.isRecovering === false) await connection.query('checkpoint');
      return rows[0];
    }).catch((error: unknown) => {
      if (!postmaster.isRunning()) throw error;
      return undefined;
    });
    if (!postmaster.isRunning())
      throw explainProgramFailure('', { what: 'PostgreSQL ended while it read the log', dataDir, logFile });
    if (state?.reached) onReached(state.reached);
    if (state?.isRecovering === false) return state.reached ?? undefined;
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}

/** `output` is what the server has logged. */
function explain(output: string, spec: ServerSpec, at: Date | undefined): StartupError | undefined {
  if (/recovery ended before configured recovery target was reached/.test(output)) {
    const last = /last completed transaction was at log time ([^\n]+)/.exec(output)?.[1];
    return new StartupError(
      `The log ends before ${at?.toISOString()}${last === undefined ? '' : `: its last transaction was at ${last.trim()}`}. Nothing was restored. Choose an earlier moment, or leave out --at to restore all that there is.`,
    );
  }
  // Connections are refused with such a line, too, until the server is up.
  if (/FATAL: {2}(?!the database system is)|PANIC/.test(output)) {
    const { dataDir, logFile } = spec;
    return explainProgramFailure(output, { what: 'PostgreSQL could not read the log', dataDir, logFile });
  }
  return undefined;
}
