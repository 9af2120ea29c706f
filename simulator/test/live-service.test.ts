import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KEY, type RealService, startRealService } from '../../sdk/test/support/real-service.js';
import { SimulationError } from '../src/driver/play-life.js';
import { openStateFile, StateFileError } from '../src/driver/state-file.js';
import { type LiveResult, simulateLive } from '../src/live.js';
import { lifeOf } from '../src/model/life.js';
import { eventsOf } from '../src/model/session-events.js';
import { DAY_MS, type Simulation } from '../src/model/simulation.js';
import type { Progress, SimulateOptions } from '../src/simulate.js';
import { createFastClock } from './support/fast-clock.js';

const SIZE = { seed: 7, players: 300, days: 10 };
const STORED = `
  select d.device_id as "deviceId", e.install_id as "installId", e.event_type as "eventType",
         e.payload ->> 'sessionId' as "sessionId", (extract(epoch from e.occurred_at) * 1000)::float8 as "atMs"
  from events e join devices d on d.player_id = e.player_id
  where d.device_id like $1
  order by e.install_id, e.seq`;

type Stored = { deviceId: string; installId: string; eventType: string; sessionId: string; atMs: number };

let service: RealService;
let folder: string;

beforeAll(async () => {
  service = await startRealService();
  folder = await mkdtemp(join(tmpdir(), 'savepoint-live-'));
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const optionsFor = (name: string): SimulateOptions => ({
  url: service.baseUrl,
  ...KEY,
  ...SIZE,
  clients: 64,
  stateFile: join(folder, name),
  signal: new AbortController().signal,
  onProgress: () => {},
});

/** Plays until Ctrl-C, which comes once `isEnough` returns true. */
function playUntil(isEnough: (progress: Progress) => boolean, options: SimulateOptions): Promise<LiveResult> {
  const ctrlC = new AbortController();
  const onProgress = (progress: Progress) => {
    if (isEnough(progress)) ctrlC.abort();
  };
  return simulateLive({ ...options, signal: ctrlC.signal, onProgress }, createFastClock(service.clock));
}

async function headerOf(file: string): Promise<Simulation & { run: string }> {
  return JSON.parse((await readFile(file, 'utf8')).split('\n')[0] ?? '');
}

async function storedOf(run: string): Promise<Map<string, Stored[]>> {
  const { rows } = await service.pool.query<Stored>(STORED, [`${run}-%`]);
  const byInstall = new Map<string, Stored[]>();
  for (const row of rows) byInstall.set(row.installId, [...(byInstall.get(row.installId) ?? []), row]);
  return byInstall;
}

describe('a simulation at the pace of the clock', () => {
  it('plays the sessions of the model at their times, sends all on Ctrl-C, and goes on with the same players', async () => {
    const options = optionsFor('live.ndjson');
    const first = await playUntil(({ playersDone }) => playersDone >= 15, options);
    const { run, ...simulation } = await headerOf(options.stateFile);
    expect(first.sessions).toBeGreaterThanOrEqual(15);
    expect(first.acknowledged + first.refused + first.swallowed).toBe(first.events);
    const before = await storedOf(run);
    const count = (installs: Map<string, Stored[]>) => [...installs.values()].flat().length;
    expect(count(before)).toBe(first.acknowledged);

    const stoppedMs = service.clock.now();
    const second = await playUntil(({ playersDone }) => playersDone >= 5, options);
    expect((await headerOf(options.stateFile)).run).toBe(run);
    expect(second.acknowledged + second.refused + second.swallowed).toBe(second.events);
    const all = await storedOf(run);
    expect(count(all)).toBe(first.acknowledged + second.acknowledged);

    let whole = 0;
    const sessionIds: string[] = [];
    for (const [installId, stored] of all) {
      const [, index = Number.NaN, number = Number.NaN] =
        /-(\d+)-live-\w+-(\d+)-1$/.exec(installId)?.map(Number) ?? [];
      const life = lifeOf(simulation, index, service.clock.now() + 2 * DAY_MS);
      const session = life.sessions[number];
      if (session === undefined) throw new Error(`${installId} is no session of the model`);
      const expected = eventsOf(life, session).filter(({ refusedAs }) => refusedAs === undefined);
      // Cut short by Ctrl-C, some of them.
      const types = stored.map(({ eventType }) => eventType);
      expect(types).toEqual(expected.slice(0, types.length).map(({ eventType }) => eventType));
      if (types.length === expected.length) whole++;
      if (Math.abs(session.clockErrorMs) < 10_000) {
        const times = expected.slice(0, types.length).map(({ atMs }) => atMs + session.clockErrorMs);
        expect(stored.map(({ atMs }) => atMs)).toEqual(times);
      }
      sessionIds.push(String(stored[0]?.sessionId));
      if (!before.has(installId)) expect(session.startMs).toBeGreaterThanOrEqual(stoppedMs);
    }
    expect(whole).toBeGreaterThanOrEqual(10);
    expect(new Set(sessionIds).size).toBe(sessionIds.length);
  });

  it('goes on with the players of a finished simulation, and leaves an unfinished one alone', async () => {
    const { url, apiKey, stateFile } = optionsFor('past.ndjson');
    const wanted = { ...SIZE, players: 1, target: `${url} ${apiKey}` };
    const past = await openStateFile(stateFile, wanted, service.clock.now());
    const live = { ...optionsFor('past.ndjson'), players: 1 };
    await expect(playUntil(() => true, live)).rejects.toThrow(StateFileError);

    past.add({ player: 0, acknowledged: 0, refused: {}, tally: { ...past.expected } });
    past.close();
    await playUntil(({ events }) => events > 0, live);
    expect(await headerOf(stateFile)).toMatchObject({ run: past.run });
  });

  it('has no past that the next simulation would have to finish', async () => {
    const options = optionsFor('only-live.ndjson');
    await playUntil(({ events }) => events > 0, options);
    const { run } = await headerOf(options.stateFile);
    const { url, apiKey, stateFile } = options;
    const past = await openStateFile(stateFile, { ...SIZE, target: `${url} ${apiKey}` }, service.clock.now());
    past.close();
    expect(past.isResumed).toBe(false);
    expect(past.run).not.toBe(run);
  });

  it('ends with the error of the service where a second try would not help', async () => {
    const options = { ...optionsFor('refused.ndjson'), apiSecret: 'another' };
    await expect(playUntil(() => false, options)).rejects.toThrow(SimulationError);
  });
});
