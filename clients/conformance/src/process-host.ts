import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ClientHost, HostedDevice, HostedRun } from './client-host.js';
import type { Message } from './protocol.js';

type Options = {
  /** Is given each line of the conversation, for `--verbose`. */
  onLine?: (direction: 'to' | 'from', line: string) => void;
};

/** Runs the driver as a process for each run of the game, each device in a folder of its own. */
export function createProcessHost(command: readonly string[], { onLine }: Options = {}): ClientHost {
  const folder = mkdtemp(join(tmpdir(), 'savepoint-conformance-'));
  const alive = new Set<HostedRun>();
  let count = 0;

  const createDevice = (storage: string): HostedDevice => ({
    storage,
    async copy() {
      const other = join(await folder, `device-${++count}`);
      await cp(storage, other, { recursive: true });
      return createDevice(other);
    },
    async start(onMessage, onEnd) {
      const [program = '', ...args] = command;
      // A group of its own: what the command starts ends with it.
      const child = spawn(program, args, {
        stdio: ['pipe', 'pipe', 'inherit'],
        detached: true,
        // Some runtimes use a proxy even for requests to this machine.
        env: { ...process.env, no_proxy: '127.0.0.1', NO_PROXY: '127.0.0.1' },
      });
      let failure: string | undefined;
      const ended = new Promise<void>((resolve) => {
        child.on('error', (error) => {
          failure = `The driver could not be started: ${error.message}.`;
          resolve();
        });
        child.on('exit', () => resolve());
      });
      ended.then(() =>
        onEnd(failure ?? `The driver ended (${child.signalCode ?? `code ${child.exitCode}`}).`),
      );
      // The driver may end while a command is written to it.
      child.stdin.on('error', () => {});
      createInterface({ input: child.stdout }).on('line', (line) => {
        onLine?.('from', line);
        const message = parse(line);
        if (message === undefined)
          onEnd(`The driver wrote a line that is no JSON object: ${line.slice(0, 200)}`);
        else onMessage(message);
      });
      const run: HostedRun = {
        send(sent) {
          const line = JSON.stringify(sent);
          onLine?.('to', line);
          child.stdin.write(`${line}\n`);
        },
        async kill() {
          alive.delete(run);
          if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
            killGroup(child.pid);
          await ended;
        },
      };
      alive.add(run);
      return run;
    },
  });

  return {
    async newDevice() {
      const storage = join(await folder, `device-${++count}`);
      await mkdir(storage);
      return createDevice(storage);
    },
    async close() {
      await Promise.all([...alive].map((run) => run.kill()));
      await rm(await folder, { recursive: true, force: true });
    },
  };
}

function killGroup(pid: number): void {
  try {
    // Windows has no groups to signal.
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // The process has just ended.
  }
}

function parse(line: string): Message | undefined {
  try {
    const message: unknown = JSON.parse(line);
    return typeof message === 'object' && message !== null ? (message as Message) : undefined;
  } catch {
    return undefined;
  }
}
