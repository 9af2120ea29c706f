import { spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { errorCode } from './errno.js';

/** False for a zombie: under a PID 1 that does not reap, a killed server would otherwise seem to live for ever. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it exists and belongs to another user.
    if (errorCode(error) !== 'EPERM') return false;
  }
  const state = procStat(pid)?.[0];
  return state !== 'Z' && state !== 'X';
}

/**
 * Together with the pid this names one process for ever, also across reboots. Undefined when the process
 * is gone or the system does not tell.
 */
export function startTimeOf(pid: number): string | undefined {
  const stat = procStat(pid);
  if (stat === undefined) return ps(pid, 'lstart=');
  // Field 22 of proc(5)'s stat counts from the boot, so it needs the boot's id to be unique.
  const bootId = readText('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
  return `${stat[19]}@${bootId}`;
}

/** Whether `pid` is a postmaster (not one of its children) that serves this very cluster. */
export function isPostmasterOf(pid: number, clusterDir: string): boolean {
  if (!isAlive(pid)) return false;
  const commandLine = readText(`/proc/${pid}/cmdline`);
  if (commandLine === undefined) {
    return ps(pid, 'command=')?.includes(`postgres -D ${clusterDir} `) ?? false;
  }
  const args = commandLine.split('\0');
  // Children rename themselves to "postgres: checkpointer" and the like.
  if (basename(args[0] ?? '') !== 'postgres') return false;
  // A postmaster works inside its data directory. That follows a renamed folder, but in a container root
  // may not read another user's link, so fall back to the argument.
  const workingDirectory = readLink(`/proc/${pid}/cwd`);
  if (workingDirectory !== undefined) return workingDirectory === clusterDir;
  return args[args.indexOf('-D') + 1] === clusterDir;
}

/** The fields of /proc/<pid>/stat from the third one (the state) on. */
function procStat(pid: number): string[] | undefined {
  const text = readText(`/proc/${pid}/stat`);
  // The second field is the program's name in parentheses, which may itself hold spaces and parentheses.
  return text?.slice(text.lastIndexOf(')') + 2).split(' ');
}

function ps(pid: number, column: string): string | undefined {
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
  const result = spawnSync('ps', ['-ww', '-o', column, '-p', String(pid)], { env, encoding: 'utf8' });
  return result.status === 0 ? result.stdout.trim() : undefined;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
