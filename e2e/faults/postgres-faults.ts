import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../support/service.js';
import { childrenOf, isRunning, signal } from './processes.js';

const RESTART_MS = 300_000;

/** kill -9 of the embedded server and all its processes; resolves when the service has started it again. */
export async function killPostgres(dataDir: string): Promise<void> {
  const { postmaster, backends } = await runningServer(dataDir);
  // The first one first: it would otherwise notice the loss of a backend and restart the others in order.
  for (const pid of [postmaster, ...backends]) signal(pid, 'SIGKILL');
  await until(async () => {
    const now = await postmasterOf(dataDir);
    return now !== undefined && now !== postmaster;
  }, RESTART_MS);
}

/** The whole server is paused, as a virtual machine is while it is moved, and then resumed. */
export async function pausePostgres(dataDir: string, ms: number): Promise<void> {
  const { postmaster, backends } = await runningServer(dataDir);
  const all = [postmaster, ...backends];
  for (const pid of all) signal(pid, 'SIGSTOP');
  await sleep(ms);
  for (const pid of all) signal(pid, 'SIGCONT');
}

async function runningServer(dataDir: string): Promise<{ postmaster: number; backends: number[] }> {
  let postmaster = 0;
  await until(async () => {
    postmaster = (await postmasterOf(dataDir)) ?? 0;
    return postmaster > 0;
  }, RESTART_MS);
  return { postmaster, backends: await childrenOf(postmaster) };
}

async function postmasterOf(dataDir: string): Promise<number | undefined> {
  const text = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  return pid > 0 && isRunning(pid) ? pid : undefined;
}
