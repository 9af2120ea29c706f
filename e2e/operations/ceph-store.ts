import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createS3Client } from '../../server/src/platform/lib/s3/s3-client.js';
import { contentOf } from '../../server/test/support/fake-s3.js';
import { freePort, temporaryFolder, until } from '../support/service.js';
import { requirePrograms } from './programs.js';
import type { TrialStore } from './trial-store.js';

const run = promisify(execFile);
const NEEDED = ['ceph-mon', 'ceph-osd', 'radosgw', 'radosgw-admin', 'monmaptool', 'ceph'];
const PACKAGES = 'ceph-common ceph-mon ceph-osd radosgw';
const START_TIMEOUT_MS = 120_000;
const SHOWN_LOG = 4_000;
/** The file of the storage grows up to here. */
const STORAGE_BYTES = 30 * 1024 ** 3;
const KEY = {
  region: 'us-east-1',
  accessKeyId: 'trial-key',
  // Of odd characters. Letters beyond ASCII are not among them: Ceph 16 denies every request of a key with one in its secret.
  secretAccessKey: 'a/secret+with=odd&chars %20"\\',
};

/** Ceph's gateway of S3 in front of a cluster of one monitor and one storage process, as Debian's packages have them. */
export async function startCephStore(): Promise<TrialStore> {
  requirePrograms(NEEDED, PACKAGES);
  const folder = await temporaryFolder();
  const [monitor, gateway] = [await freePort(), await freePort()];
  await Promise.all([monitor.release(), gateway.release()]);
  const endpoint = `http://127.0.0.1:${gateway.port}`;
  const fsid = randomUUID();
  await writeFile(join(folder, 'ceph.conf'), configOf(folder, fsid, monitor.port, gateway.port));
  for (const name of ['mon', 'osd', 'rgw']) await mkdir(join(folder, name));
  await writeFile(join(folder, 'keyring'), '');

  const { call, start, stop } = programsIn(folder);
  try {
    const address = `[v2:127.0.0.1:${monitor.port}]`;
    await call('monmaptool', '--create', '--fsid', fsid, '--addv', 'a', address, 'monitors');
    await call('ceph-mon', '--mkfs', '-i', 'a', '--monmap', 'monitors');
    start('ceph-mon', '-i', 'a');
    const storage = randomUUID();
    await call('ceph', 'osd', 'new', storage);
    await call('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', storage);
    start('ceph-osd', '-i', '0');
    const check = start('radosgw', '-n', 'client.rgw');
    const responds = () =>
      fetch(endpoint).then(
        ({ ok }) => ok,
        () => false,
      );
    await until(responds, START_TIMEOUT_MS, check);
    const key = ['--access-key', KEY.accessKeyId, '--secret-key', KEY.secretAccessKey];
    await call('radosgw-admin', 'user', 'create', '--uid', 'trial', '--display-name', 'trial', ...key);
    const settings = { ...KEY, endpoint, bucket: 'trial' };
    // An object without a name is the bucket.
    await createS3Client(settings, Date.now).put('', contentOf(''));
    process.stdout.write(await call('radosgw', '--version'));
    return { settings, stop };
  } catch (error) {
    await stop();
    throw new Error(`Ceph does not start: ${(error as Error).message}\n${await logsOf(folder)}`, {
      cause: error,
    });
  }
}

/** Ceph's programs with the configuration in a folder. `start` returns a check that throws once the program has ended. */
function programsIn(folder: string) {
  const options = { cwd: folder, env: { ...process.env, CEPH_CONF: join(folder, 'ceph.conf') } };
  const running: ChildProcess[] = [];
  return {
    async call(program: string, ...args: string[]): Promise<string> {
      return (await run(program, args, { ...options, timeout: START_TIMEOUT_MS })).stdout;
    },
    start(program: string, ...args: string[]): () => void {
      const child = spawn(program, ['-f', ...args], { ...options, stdio: 'ignore' });
      running.push(child);
      return () => {
        if (child.exitCode !== null) throw new Error(`${program} has ended`);
      };
    },
    async stop(): Promise<void> {
      for (const child of running.splice(0).reverse()) {
        const gone = new Promise((resolve) => child.once('exit', resolve));
        if (child.exitCode === null && child.kill('SIGKILL')) await gone;
      }
    },
  };
}

async function logsOf(folder: string): Promise<string> {
  const names = ['mon.a', 'osd.0', 'client.rgw'];
  const logs = names.map((name) => readFile(join(folder, `${name}.log`), 'utf8').catch(() => ''));
  return (await Promise.all(logs)).map((log) => log.slice(-SHOWN_LOG)).join('\n');
}

function configOf(folder: string, fsid: string, monitorPort: number, gatewayPort: number): string {
  return `[global]
fsid = ${fsid}
mon host = v2:127.0.0.1:${monitorPort}/0
mon initial members = a
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind msgr1 = false
auth cluster required = none
auth service required = none
auth client required = none
# The gateway wants an encrypted connection to the monitor, which needs a key.
ms mon client mode = crc
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pg autoscale mode = off
mon allow pool size one = true
# The monitor ends where less of the disk is free, in per cent.
mon data avail crit = 1
# Pools are made with the first requests, each in some of these seconds.
paxos propose interval = 0.05
run dir = ${folder}
admin socket = ${folder}/$name.asok
pid file = ${folder}/$name.pid
log file = ${folder}/$name.log
mon cluster log file = ${folder}/cluster.log
crash dir = ${folder}/crash
keyring = ${folder}/keyring
[mon]
mon data = ${folder}/mon
[osd]
osd data = ${folder}/osd
bluestore block create = true
bluestore block size = ${STORAGE_BYTES}
[client.rgw]
rgw data = ${folder}/rgw
rgw frontends = beast endpoint=127.0.0.1:${gatewayPort}
`;
}
