import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { childrenOf, signal } from '../faults/processes.js';
import { until } from '../support/service.js';

/** What was measured at one moment. */
export type Sample = Readonly<{
  seconds: number;
  /** Of each process, in MB: what belongs to it alone, without files and PostgreSQL's shared buffers. */
  memory: Readonly<Record<string, number>>;
  /** The same after a full collection, which a few samples make. */
  kept: Readonly<Record<string, number>> | undefined;
  /** Of each table with its indexes, in MB; the days of a partitioned table are one. */
  sizes: Readonly<Record<string, number>>;
  rows: Readonly<Record<string, Rows>>;
  /** Of the requests since the sample before, in ms; undefined if there were too few. */
  p99: number | undefined;
}>;

export type Rows = Readonly<{ live: number; dead: number }>;

type Table = { name: string; bytes: number } & Rows;

const MB = 1024 ** 2;
const FEWEST_REQUESTS = 50;
const COLLECTION_MS = 60_000;
/** By the file that a process of a node runs. */
const PROCESSES = { worker: 'worker.js', operations: 'operations.js' };

/** The processes of a node; empty while it is down. */
export async function memoryOfNode(name: string, pid: number): Promise<Record<string, number>> {
  const found: [string, number][] = [];
  for (const [process, of] of await processesOf(name, pid)) found.push([process, await ownMemory(of)]);
  return Object.fromEntries(found.filter(([, megabytes]) => megabytes > 0));
}

/** What they keep when all else is collected: what a leak is seen by. They have loaded `collect-on-signal.mjs`, which writes to `folder`. */
export async function memoryKeptByNode(
  name: string,
  pid: number,
  folder: string,
): Promise<Record<string, number>> {
  for (const [, of] of await processesOf(name, pid)) {
    const file = join(folder, String(of));
    await rm(file, { force: true });
    if (signal(of, 'SIGUSR2')) await until(() => existsSync(file), COLLECTION_MS);
  }
  return memoryOfNode(name, pid);
}

async function processesOf(name: string, pid: number): Promise<[string, number][]> {
  const found: [string, number][] = [[`${name}, primary`, pid]];
  for (const [role, file] of Object.entries(PROCESSES)) {
    const pids = await childrenOf(pid, file);
    for (const [index, child] of pids.entries())
      found.push([`${name}, ${role}${pids.length > 1 ? ` ${index + 1}` : ''}`, child]);
  }
  return found;
}

/** All processes of PostgreSQL together: connections come and go. */
export async function memoryOfPostgres(dataDir: string): Promise<number> {
  const postmaster = Number.parseInt(await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10);
  let megabytes = await ownMemory(postmaster);
  for (const pid of await childrenOf(postmaster)) megabytes += await ownMemory(pid);
  return megabytes;
}

/** Linux only. 0 for a process that has ended. */
async function ownMemory(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  return Number(/^Pss_Anon:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) / 1024;
}

export async function measureTables(client: pg.Client): Promise<Pick<Sample, 'sizes' | 'rows'>> {
  const { rows } = await client.query<Table>(
    `select regexp_replace(c.relname, '_\\d{8}$', '') as name, sum(pg_total_relation_size(c.oid))::float8 as bytes,
       coalesce(sum(s.n_live_tup), 0)::float8 as live, coalesce(sum(s.n_dead_tup), 0)::float8 as dead
     from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
     left join pg_stat_user_tables s on s.relid = c.oid
     where c.relkind = 'r' and n.nspname = 'public'
     group by 1`,
  );
  return {
    sizes: Object.fromEntries(rows.map(({ name, bytes }) => [name, bytes / MB])),
    rows: Object.fromEntries(rows.map(({ name, live, dead }) => [name, { live, dead }])),
  };
}

export function p99Of(times: readonly number[]): number | undefined {
  if (times.length < FEWEST_REQUESTS) return undefined;
  return [...times].sort((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1];
}
