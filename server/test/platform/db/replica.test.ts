/** @module-tag full */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReplicaMetrics } from '../../../src/app/bin/replica-metrics.js';
import { checkReplica } from '../../../src/operations/cli/doctor-replica.js';
import { withDedicatedConnection } from '../../../src/platform/db/dedicated-connection.js';
import { createPool, type Pool, snapshot } from '../../../src/platform/db/pool.js';
import { createReplica, type Replica } from '../../../src/platform/db/replica.js';
import { startDatabaseProxy } from '../../support/database-proxy.js';
import { NO_TIMEOUT_MS } from '../../support/harness.js';
import { metricValue } from '../../support/metric-value.js';
import { clearAway } from '../../support/postgres-folders.js';
import { startPrimary, startReplica, type TestPrimary, type TestReplica } from '../../support/replica.js';

/** Two servers are made. */
const SETUP_MS = 600_000;
/** As long as it takes: a busy machine must not decide a test. */
const PATIENT_MS = NO_TIMEOUT_MS;

let server: TestPrimary;
let standby: TestReplica;
let primary: Pool;
const opened: Replica[] = [];
beforeAll(async () => {
  server = await startPrimary();
  primary = poolOf(server.url);
  await primary.query('create table notes (id int)');
  standby = await startReplica(server, '1s');
}, SETUP_MS);
afterAll(async () => {
  for (const replica of opened) await replica.stop();
  await primary.end();
  await clearAway();
}, SETUP_MS);

const poolOf = (url: string, timeoutMs = NO_TIMEOUT_MS) =>
  createPool({ url, size: 3, timeoutMs, onError: () => {} });

function open(maxLagMs: number, url = standby.url, lines: string[] = [], timeoutMs?: number): Replica {
  const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
  const replica = createReplica({ primary, pool: poolOf(url, timeoutMs), maxLagMs, logger, everyMs: 100 });
  opened.push(replica);
  return replica;
}

const isRead = async (replica: Replica) => {
  await expect.poll(() => replica.state().problem).toBeNull();
};

/** By whom the work was done in the end, and what it saw. */
const read = (replica: Replica) =>
  replica.run(async (db) => {
    const { rows } = await db.query<{ isReplica: boolean; notes: number }>(
      'select pg_is_in_recovery() as "isReplica", count(*)::int as notes from notes',
    );
    return { by: rows[0]?.isReplica ? 'replica' : 'primary', notes: rows[0]?.notes };
  });
const addNote = async (): Promise<number> => {
  await primary.query('insert into notes values (1)');
  const { rows } = await primary.query<{ n: number }>('select count(*)::int as n from notes');
  return rows[0]?.n ?? 0;
};

/** Tells a test how far the work has come. */
function signal(): { give: () => void; given: Promise<void> } {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { give: () => give(), given };
}

describe('a replica', () => {
  it('has everything that was committed before a read began', async () => {
    const replica = open(PATIENT_MS);
    await isRead(replica);
    for (let n = 0; n < 20; n++) {
      const notes = await addNote();
      expect(await read(replica)).toEqual({ by: 'replica', notes });
    }
    const { registry } = createReplicaMetrics(replica);
    expect(await metricValue(registry, 'savepoint_replica_in_use')).toBe(1);
    expect(await metricValue(registry, 'savepoint_replica_reads_total{server="replica"}')).toBe(20);
    expect(await metricValue(registry, 'savepoint_replica_reads_total{server="primary"}')).toBe(0);
  });

  it('is not read while it is behind, and is read again when it has caught up', async () => {
    const lines: string[] = [];
    // Read only where it has everything at once, as it has while nothing is written.
    const replica = open(0, standby.url, lines);
    await isRead(replica);
    await standby.pause();
    try {
      const notes = await addNote();
      expect(await read(replica)).toEqual({ by: 'primary', notes });
      expect(replica.state().problem).toBe('it is too far behind the primary');
      const settings = {
        databaseReplicaUrl: standby.url,
        replicaMaxLagMs: 1,
        databaseTimeoutMs: NO_TIMEOUT_MS,
      };
      expect(await checkReplica(primary, settings)).toEqual([
        expect.objectContaining({ warning: 'it is too far behind the primary' }),
      ]);
    } finally {
      await standby.resume();
    }
    await isRead(replica);
    expect(lines).toContain(
      'the replica is not read: it is too far behind the primary; the primary serves instead',
    );
    expect(lines).toContain('the replica serves reads');
  });

  it('that is stopped in the middle of a read fails no read', async () => {
    const replica = open(PATIENT_MS);
    await isRead(replica);
    const seen: boolean[] = [];
    const begun = signal();
    const reading = replica.run(async (db) => {
      const { rows } = await db.query<{ isReplica: boolean }>('select pg_is_in_recovery() as "isReplica"');
      seen.push(rows[0]?.isReplica === true);
      begun.give();
      if (rows[0]?.isReplica) await db.query('select pg_sleep(3600)');
      return 'done';
    });
    await begun.given;
    await standby.stop();
    try {
      expect(await reading).toBe('done');
      expect(seen).toEqual([true, false]);
      expect(await read(replica)).toMatchObject({ by: 'primary' });
      expect(replica.state().problem).not.toBeNull();
      expect(await findings(standby.url)).toEqual([
        expect.objectContaining({ problem: expect.stringContaining('it cannot be reached') }),
      ]);
    } finally {
      await standby.start();
    }
    await isRead(replica);
    expect(await read(replica)).toMatchObject({ by: 'replica' });
  });

  it('that cancels a read because it holds up the log fails no read', async () => {
    await primary.query('create table emptied (id int)');
    const replica = open(PATIENT_MS);
    await isRead(replica);
    const begun = signal();
    const reading = replica.run((db) =>
      snapshot(db, async (client) => {
        const { rows } = await client.query<{ isReplica: boolean }>(
          'select pg_is_in_recovery() as "isReplica" from (select count(*) from emptied) e',
        );
        begun.give();
        if (rows[0]?.isReplica) await client.query('select pg_sleep(3600)');
        return rows[0];
      }),
    );
    await begun.given;
    // The replay of it waits for the read, for a second.
    await primary.query('truncate emptied');
    expect(await reading).toEqual({ isReplica: false });
  });

  it('that refuses a read fails no read, and a mistake is still one', async () => {
    const replica = open(PATIENT_MS);
    await isRead(replica);
    const reading = replica.run(async (db) => {
      const { rows } = await db.query<{ isReplica: boolean }>('select pg_is_in_recovery() as "isReplica"');
      if (rows[0]?.isReplica) await db.query('select 1 from only_on_the_primary');
      return rows[0];
    });
    expect(await reading).toEqual({ isReplica: false });
    expect(replica.state().reads).toEqual({ replica: 1, primary: 1 });
    await expect(replica.run((db) => db.query('select 1 from nowhere'))).rejects.toThrow('nowhere');
  });

  it('that stands still holds no work', async () => {
    const proxy = await startDatabaseProxy(standby.url);
    const replica = open(PATIENT_MS, proxy.url, [], 2_000);
    const seen: boolean[] = [];
    const sleepOnReplica = () =>
      replica.run((db) =>
        withDedicatedConnection(db, async (connection) => {
          const { rows } = await connection.query<{ isReplica: boolean }>(
            'select pg_is_in_recovery() as "isReplica"',
          );
          const isReplica = rows[0]?.isReplica === true;
          seen.push(isReplica);
          if (isReplica) {
            proxy.silence();
            await connection.query('select 1');
          }
        }),
      );
    // On a busy machine the primary may serve.
    while (!seen.includes(true)) {
      await isRead(replica);
      await sleepOnReplica();
    }
    expect(seen.at(-1)).toBe(false);
    await replica.stop();
    opened.splice(opened.indexOf(replica), 1);
    await proxy.restore();
    await proxy.close();
  });

  it('that cannot be reached from the start is in the log', async () => {
    const lines: string[] = [];
    const proxy = await startDatabaseProxy(standby.url);
    await proxy.close();
    open(PATIENT_MS, proxy.url, lines);
    await expect.poll(() => lines).toEqual([expect.stringContaining('it cannot be reached')]);
  });

  it('must be one server', async () => {
    const proxy = await startDatabaseProxy(standby.url, server.url);
    const problem = 'several servers are behind its address';
    const replica = open(PATIENT_MS, proxy.url);
    await expect.poll(() => replica.state().problem).toBe(problem);
    expect(await read(replica)).toMatchObject({ by: 'primary' });
    expect(await findings(proxy.url)).toEqual([expect.objectContaining({ problem })]);
    await replica.stop();
    opened.splice(opened.indexOf(replica), 1);
    await proxy.close();
  });

  it('must be a standby, of this server and with this database', async () => {
    const other = new URL(standby.url);
    other.pathname = '/postgres';
    for (const [url, problem] of [
      [server.url, 'it is not a standby'],
      [other.href, 'it is a standby of another server, or another database'],
    ] as const) {
      const replica = open(PATIENT_MS, url);
      await expect.poll(() => replica.state().problem).toBe(problem);
      expect(await read(replica)).toMatchObject({ by: 'primary' });
      expect(await findings(url)).toEqual([expect.objectContaining({ problem })]);
    }
    expect(await findings(standby.url)).toEqual([
      { name: expect.stringMatching(/^replica of DATABASE_REPLICA_URL, \d+ ms behind$/) },
    ]);
    expect(await checkReplica(primary, { ...PATIENT, databaseReplicaUrl: undefined })).toEqual([]);
  });
});

const PATIENT = { replicaMaxLagMs: PATIENT_MS, databaseTimeoutMs: NO_TIMEOUT_MS };
const findings = (databaseReplicaUrl: string) => checkReplica(primary, { ...PATIENT, databaseReplicaUrl });
