import { readdirSync, readFileSync } from 'node:fs';

const TICK_MS = 10;
/** Of the line `cpu` in /proc/stat: cpu, user, nice, system, idle, iowait, irq, softirq, steal. */
const STEAL_FIELD = 8;

/** The process and all its descendants (Linux). */
export function treeOf(pid) {
  const childrenOf = new Map();
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const fields = statOf(entry);
    if (fields === undefined) continue;
    const parent = Number(fields[1]);
    childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), Number(entry)]);
  }
  const tree = [pid];
  for (const member of tree) tree.push(...(childrenOf.get(member) ?? []));
  return tree;
}

/** CPU time used so far by a process tree, user and system, in milliseconds. */
export function cpuMsOf(pid) {
  let ticks = 0;
  for (const member of treeOf(pid)) {
    const fields = statOf(member);
    if (fields !== undefined)
      ticks += Number(fields[11]) + Number(fields[12]) + Number(fields[13]) + Number(fields[14]);
  }
  return ticks * TICK_MS;
}

/** CPU time used so far by one process, without its children, in milliseconds. */
export function ownCpuMs(pid) {
  const fields = statOf(pid);
  return fields === undefined ? 0 : (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/**
 * CPU time of a service so far, the parts that its workers and its embedded PostgreSQL took, and what PostgreSQL took of that for checkpoints,
 * vacuum, the log and ended connections, in milliseconds.
 */
export function cpuSplitOf(pid) {
  const members = treeOf(pid);
  const workersMs = sumOfCpu(members.filter((member) => commandOf(member).includes('worker.js')));
  const postgres = members.find((member) => commandOf(member).includes('postgres -D'));
  if (postgres === undefined) return { serviceMs: cpuMsOf(pid), workersMs, postgresMs: 0, upkeepMs: 0 };
  const postgresMs = cpuMsOf(postgres);
  const connections = treeOf(postgres).filter((member) => commandOf(member).includes('[local]'));
  const upkeepMs = postgresMs - sumOfCpu(connections);
  return { serviceMs: cpuMsOf(pid) - postgresMs, workersMs, postgresMs, upkeepMs };
}

function sumOfCpu(pids) {
  return pids.map(ownCpuMs).reduce((sum, ms) => sum + ms, 0);
}

/** What a virtual machine's host gave to others so far of the time that this machine would have worked, of all processors, in milliseconds (Linux). */
export function stolenMs() {
  const [all = ''] = readFileSync('/proc/stat', 'latin1').split('\n');
  return Number(all.split(/\s+/)[STEAL_FIELD]) * TICK_MS;
}

/** Resident memory of each API worker, in MB. */
export function workersRssMb(pid) {
  return treeOf(pid)
    .filter((member) => commandOf(member).includes('worker.js'))
    .map((member) => Math.round(rssMbOf(member)));
}

/** The resident memory of the largest worker, in MB. */
export function workerRssMb(pid) {
  return Math.max(0, ...workersRssMb(pid));
}

/** The resident memory of a process, in MB; 0 if it has ended. */
export function rssMbOf(pid) {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) / 1024;
  } catch {
    return 0; // the process ended meanwhile
  }
}

/** The command line, with blanks; empty for a process that has ended. */
export function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** Fields of /proc/<pid>/stat from the state on: [state, ppid, …, utime = 11, stime = 12, cutime = 13, cstime = 14]. */
function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
