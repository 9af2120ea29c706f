import { readFileSync } from 'node:fs';

/** The memory of the machine that a process uses, in MB; 0 where the process has ended, or the system is not Linux. */
export function residentMb(pid: number | undefined): number {
  if (pid === undefined || process.platform !== 'linux') return 0;
  try {
    const [, kb = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
    return Number(kb) / 1024;
  } catch {
    return 0;
  }
}
