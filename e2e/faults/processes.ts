import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

type Process = { pid: number; parent: number; command: string };

export async function childrenOf(pid: number, commandPart = ''): Promise<number[]> {
  const all = await listProcesses();
  return all
    .filter(({ parent, command }) => parent === pid && command.includes(commandPart))
    .map((child) => child.pid);
}

async function listProcesses(): Promise<Process[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,args='], { maxBuffer: 16_777_216 });
  return stdout.split('\n').flatMap((line) => {
    const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return command === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
  });
}

/** False when the process did not exist. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  // The test itself, and all that runs beside it.
  if (pid <= 0) throw new Error(`there is no process to send ${name} to`);
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** A busy loop that checks now and then whether its parent is alive: its stdin ends with the parent. */
const SPIN = `
  process.stdin.on('end', () => process.exit()).resume();
  (function spin() {
    for (const until = Date.now() + 50; Date.now() < until; );
    setImmediate(spin);
  })();
`;

/** Starts processes that compete for the CPU. Returns a function that ends them. */
export function startBusyProcesses(count: number): () => void {
  const children = Array.from({ length: count }, () =>
    spawn(process.execPath, ['-e', SPIN], { stdio: ['pipe', 'ignore', 'ignore'] }),
  );
  return () => {
    for (const child of children) child.kill('SIGKILL');
  };
}
