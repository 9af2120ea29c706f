import { type ChildProcess, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ClientHost, HostedDevice, HostedRun } from './client-host.js';
import type { Message } from './protocol.js';

/** Is given each line of the conversation, for `--verbose`. */
export type OnLine = (direction: 'to' | 'from', line: string) => void;

export type ProcessHosts = {
  newHost(onLine?: OnLine): ClientHost;
  /** Ends the drivers that wait for another run, and removes what the devices have kept. */
  close(): Promise<void>;
};

/** Who is given what a driver writes, and why it ended. */
type Listener = { onLine(line: string): void; onEnd(why: string): void };

type Driver = { send(line: string): void; kill(): Promise<void>; hasEnded(): boolean; listener: Listener };

/**
 * Runs the driver as a process for each run of the game, each device in a folder of its own. A driver that has forgotten its client serves
 * another run: to start a process and its HTTP client takes most of the CPU of an exchange.
 */
export function createProcessHosts(command: readonly string[]): ProcessHosts {
  const idle: Driver[] = [];
  let folder: Promise<string> | undefined;
  let count = 0;
  const newFolder = async () => {
    folder ??= mkdtemp(join(tmpdir(), 'savepoint-conformance-'));
    return join(await folder, `device-${++count}`);
  };

  const newHost = (onLine: OnLine = () => {}): ClientHost => {
    const alive = new Set<Driver>();
    const createDevice = (storage: string): HostedDevice => ({
      storage,
      async copy() {
        const other = await newFolder();
        await cp(storage, other, { recursive: true });
        return createDevice(other);
      },
      async start(onMessage, onEnd): Promise<HostedRun> {
        const listener: Listener = {
          onLine(line) {
            onLine('from', line);
            const message = parse(line);
            if (message === undefined)
              onEnd(`The driver wrote a line that is no JSON object: ${line.slice(0, 200)}`);
            else onMessage(message);
          },
          onEnd,
        };
        const driver = takeIdle(idle, listener) ?? startDriver(command, listener);
        alive.add(driver);
        return {
          send(sent) {
            const line = JSON.stringify(sent);
            onLine('to', line);
            driver.send(line);
          },
          release() {
            alive.delete(driver);
            driver.listener = SILENT;
            idle.push(driver);
          },
          async kill() {
            alive.delete(driver);
            await driver.kill();
          },
        };
      },
    });
    return {
      async newDevice() {
        const storage = await newFolder();
        await mkdir(storage);
        return createDevice(storage);
      },
      close: () => killAll([...alive]),
    };
  };

  return {
    newHost,
    async close() {
      await killAll(idle.splice(0));
      if (folder !== undefined) await rm(await folder, { recursive: true, force: true });
    },
  };
}

const SILENT: Listener = { onLine() {}, onEnd() {} };

/** A driver that waits for another run, unless it has ended meanwhile. */
function takeIdle(idle: Driver[], listener: Listener): Driver | undefined {
  for (let driver = idle.pop(); driver !== undefined; driver = idle.pop()) {
    if (driver.hasEnded()) continue;
    driver.listener = listener;
    return driver;
  }
  return undefined;
}

function startDriver([program = '', ...args]: readonly string[], listener: Listener): Driver {
  // A group of its own: what the command starts ends with it.
  const child = spawn(program, args, {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
    // Some runtimes use a proxy even for requests to this machine.
    env: { ...process.env, no_proxy: '127.0.0.1', NO_PROXY: '127.0.0.1' },
  });
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  let failure: string | undefined;
  const ended = new Promise<void>((resolve) => {
    child.on('error', (error) => {
      failure = `The driver could not be started: ${error.message}.`;
      resolve();
    });
    child.on('exit', () => resolve());
  });
  const driver: Driver = {
    listener,
    hasEnded,
    send: (line) => void child.stdin.write(`${line}\n`),
    async kill() {
      if (!hasEnded()) killGroup(child);
      await ended;
    },
  };
  ended.then(() =>
    driver.listener.onEnd(failure ?? `The driver ended (${child.signalCode ?? `code ${child.exitCode}`}).`),
  );
  // The driver may end while a command is written to it.
  child.stdin.on('error', () => {});
  createInterface({ input: child.stdout }).on('line', (line) => driver.listener.onLine(line));
  return driver;
}

async function killAll(drivers: readonly Driver[]): Promise<void> {
  await Promise.all(drivers.map((driver) => driver.kill()));
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
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
