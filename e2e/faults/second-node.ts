import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { attachToEmbeddedPostgres } from '../../server/src/platform/embedded-postgres/attach.js';
import { stablePort } from '../../server/test/support/stable-port.js';
import { type Settings, temporaryFolder, until } from '../support/service.js';
import { childrenOf, isRunning, signal } from './processes.js';
import { type Choose, type Stack, startPatiently } from './stack.js';

const END_MS = 300_000;

/** A node on the database of the first one. Its player API keeps its address when it is started again. */
export type SecondNode = Readonly<{
  settings: Settings;
  api(): string;
  ops(): string;
  killWorker(choose: Choose): Promise<void>;
  kill(): Promise<void>;
  restart(): Promise<void>;
  logs(): string;
  stop(): Promise<void>;
}>;

const SHOWN_LOG = 3_000;

export async function startSecondNode({ dataDir, settings: shared }: Stack): Promise<SecondNode> {
  const url = (await attachToEmbeddedPostgres(dataDir)) ?? '';
  const settings = {
    ...(await besideFirst(dataDir, { ...shared, DATABASE_URL: url })),
    SAVEPOINT_PORT: String(await stablePort()),
  };
  let service = await startPatiently(settings);
  return {
    settings,
    api: () => service.api,
    ops: () => service.ops,
    async killWorker(choose) {
      const workers = await childrenOf(service.pid, 'worker.js');
      const victim = workers[choose(workers.length)];
      if (victim !== undefined) signal(victim, 'SIGKILL');
    },
    async kill() {
      const children = await childrenOf(service.pid, 'server/dist/programs/');
      await service.kill();
      await until(() => !children.some(isRunning), END_MS);
      service = await startPatiently(settings);
    },
    async restart() {
      await service.interrupt();
      service = await startPatiently(settings);
    },
    logs: () => service.output().slice(-SHOWN_LOG),
    async stop() {
      await service.interrupt();
    },
  };
}

/** Settings of processes beside the first node, on a data folder of their own with the same master key. */
export async function besideFirst(dataDir: string, settings: Settings): Promise<Settings> {
  const folder = await temporaryFolder();
  await cp(join(dataDir, 'master-key'), join(folder, 'master-key'));
  return { ...settings, SAVEPOINT_DATA_DIR: folder };
}
