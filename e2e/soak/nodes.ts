import { setTimeout as sleep } from 'node:timers/promises';
import { stablePort } from '../../server/test/support/stable-port.js';
import { childrenOf, isRunning, signal } from '../faults/processes.js';
import { type Service, type Settings, startService, until } from '../support/service.js';

const END_MS = 60_000;
/** Longer than the balancer takes to notice. */
const DRAIN_SECONDS = 2;
const DOWN_MS = 1_000;

/** A node whose addresses stay the same when it is restarted. */
export type SoakNode = Readonly<{
  url: string;
  port: number;
  opsPort: number;
  pid(): number;
  /** As an orchestrator does it: SIGTERM, and the node ends when its players have gone elsewhere. */
  restart(): Promise<void>;
  /** kill -9 of its first process; the others end by themselves. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}>;

export async function startNode(shared: Settings): Promise<SoakNode> {
  const [port, opsPort] = [await stablePort(), await stablePort()];
  const settings = {
    ...shared,
    SAVEPOINT_PORT: String(port),
    SAVEPOINT_OPS_PORT: String(opsPort),
    SAVEPOINT_DRAIN_SECONDS: String(DRAIN_SECONDS),
  };
  let service: Service = await startService(settings);
  const end = async (name: NodeJS.Signals) => {
    const all = [service.pid, ...(await childrenOf(service.pid))];
    signal(service.pid, name);
    await until(() => !all.some(isRunning), END_MS);
  };
  const startAgain = async () => {
    await sleep(DOWN_MS);
    service = await startService(settings);
  };
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    opsPort,
    pid: () => service.pid,
    async restart() {
      await end('SIGTERM');
      await startAgain();
    },
    async kill() {
      await end('SIGKILL');
      await startAgain();
    },
    stop: () => end('SIGTERM'),
  };
}
