import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { KEY, type RealService, startRealService } from '../../sdk/test/support/real-service.js';
import { recountGame } from '../../server/src/features/analytics/recount.js';
import { type Life, lifeOf } from '../src/model/life.js';
import { eventsOf } from '../src/model/session-events.js';
import { DAY_MS } from '../src/model/simulation.js';
import { simulate } from '../src/simulate.js';

const SIZE = { seed: 5, players: 150, days: 60 };
/** A client that corrects its clock is wrong by milliseconds, so the day of an event next to midnight is not certain. */
const NEAR_MIDNIGHT_MS = 30_000;

let service: RealService;
let folder: string;
beforeAll(async () => {
  service = await startRealService();
  folder = await mkdtemp(join(tmpdir(), 'savepoint-truth-'));
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const dayOf = (ms: number) => Math.floor(ms / DAY_MS);

/** When a player did something that reached the service. */
function timesOf(life: Life): number[] {
  return life.sessions
    .filter(({ network }) => network !== 'swallowed')
    .flatMap((session) => eventsOf(life, session))
    .filter(({ refusedAs }) => refusedAs === undefined)
    .map(({ atMs }) => atMs);
}

/** Whether the service can know the player's days: the clock of the device is about right, and nothing happens next to midnight. */
function isCertain(life: Life): boolean {
  return (
    life.sessions.every(({ clockErrorMs }) => Math.abs(clockErrorMs) < NEAR_MIDNIGHT_MS) &&
    timesOf(life).every((ms) => dayOf(ms - NEAR_MIDNIGHT_MS) === dayOf(ms + NEAR_MIDNIGHT_MS))
  );
}

it('starts players on the day of their first event after a simulation of 60 days, and cohorts agree', async () => {
  const { endMs, deviceIds } = await simulate({
    ...{ url: service.baseUrl, ...KEY, ...SIZE, clients: 16 },
    stateFile: join(folder, 'state.ndjson'),
    signal: new AbortController().signal,
    onProgress: () => {},
  });
  const { rows } = await service.pool.query<{ deviceId: string; gameId: number; days: number[] }>(
    `select d.device_id as "deviceId", p.game_id as "gameId", array(
       select a.day - date '1970-01-01' from (
         select start_day(p.created_at, p.first_day) as day
         union select generate_series(lower(r), upper(r) - 1, interval '1 day')::date from unnest(p.active_days) r
       ) a order by 1
     ) as days
     from devices d join players p on p.id = d.player_id`,
  );
  const shown = new Map(rows.map(({ deviceId, days }) => [deviceId, days]));
  let compared = 0;
  for (const [index, deviceId] of deviceIds.entries()) {
    const life = lifeOf({ ...SIZE, endMs }, index);
    const days = [...new Set(timesOf(life).map(dayOf))].sort((a, b) => a - b);
    if (days.length === 0 || !isCertain(life)) continue;
    expect(shown.get(deviceId), deviceId).toEqual(days);
    compared++;
  }
  expect(compared).toBeGreaterThan(SIZE.players / 3);
  expect((await recountGame(service.pool, rows[0]?.gameId ?? 0)).differences).toEqual([]);
});
