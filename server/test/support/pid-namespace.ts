import { type ChildProcess, spawnSync } from 'node:child_process';
import { startChild } from './postgres-folders.js';

/** Runs a command among processes of its own, whose pids mean nothing to others, as in a container. All of them end with it. */
const UNSHARE = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];
export const HAS_PID_NAMESPACES = spawnSync('env', [...UNSHARE, 'true']).status === 0;
export const NEEDS_PID_NAMESPACES = HAS_PID_NAMESPACES ? '' : ' (skipped: needs root, and unshare of Linux)';

/** A line for the shell that is the first process in it kills the service; its PostgreSQL lives on with the shell. */
const SHELL = ['sh', '-c', '"$@" & read -r line; kill -9 $!; sleep 600', 'sh'];

export type Container = { child: ChildProcess; url: string; killService(): void };

/** A service in a pid namespace of its own, on a data folder that it shares with the test. */
export async function startContainer(dataDir: string): Promise<Container> {
  const { child, url } = await startChild(dataDir, [...UNSHARE, ...SHELL]);
  return { child, url, killService: () => child.stdin?.write('\n') };
}
