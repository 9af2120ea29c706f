/** @module-tag full */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { KEY, type RealService, startRealService } from '../../sdk/test/support/real-service.js';
import { listBreakdownDays } from '../../server/src/insight/analytics/breakdowns/breakdown.js';
import { gameDashboard } from '../../server/src/insight/analytics/dashboard.js';
import { cohortResponse } from '../../server/src/insight/analytics/dashboard-response.js';
import { recountGame } from '../../server/src/insight/analytics/recount.js';
import { sumOn } from '../../server/test/insight/analytics/breakdowns/breakdown-world.js';
import { DAY_MS } from '../src/model/simulation.js';
import { traitsOf } from '../src/model/traits.js';
import { simulate } from '../src/simulate.js';
import { dashboardCells, differingCells, retentionCells, type ShownCell } from './support/dashboard-truth.js';

const SIZE = { seed: 5, players: 200, days: 60 };
/** A clock that is wrong by more than this may tell another day. */
const WRONG_CLOCK_MS = 3_600_000;

/** A run that took a second is repeated after 20. */
const RUN_PAUSE_MS = 60_000;

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

const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

it('shows the truth of a simulation of 60 days in every cell: days, cohorts, retention and builds', async () => {
  const { endMs } = await simulate({
    ...{ url: service.baseUrl, ...KEY, ...SIZE, clients: 16 },
    stateFile: join(folder, 'state.ndjson'),
    signal: new AbortController().signal,
    onProgress: () => {},
  });
  const simulation = { ...SIZE, endMs };
  const nowMs = Date.now();
  const received = { sinceMs: endMs, untilMs: nowMs };
  // Some players have a clock that is wrong by hours or months.
  const clocks = Array.from({ length: SIZE.players }, (_, index) => traitsOf(simulation, index).clockErrorMs);
  expect(clocks.filter((errorMs) => Math.abs(errorMs) > WRONG_CLOCK_MS).length).toBeGreaterThan(2);

  const { pool } = service;
  const { rows } = await pool.query<{ gameId: number }>('select distinct game_id as "gameId" from players');
  const gameId = rows[0]?.gameId ?? 0;
  const span = { from: dateOf(nowMs - 150 * DAY_MS), to: dateOf(nowMs) };
  const { days, cohorts } = await gameDashboard(pool, gameId, span.from, span.to, nowMs);
  const cells = dashboardCells({ days, cohorts: cohorts.map(cohortResponse) });
  expect(differingCells(cells, simulation, received)).toEqual([]);

  // A run sums 31 days at most, and the next run comes a while later.
  for (let at = nowMs; ; at += RUN_PAUSE_MS) {
    const { daysSummed } = await sumOn(pool, { nowMs: at, playersPerChunk: 1_000 });
    if (daysSummed === 0) break;
  }
  const byBuild = (await listBreakdownDays(pool, gameId, 'build', span)).flatMap((row): ShownCell[] => [
    [`new ${row.day} ${row.value}`, row.newPlayers],
    [`active ${row.day} ${row.value}`, row.activePlayers],
    ...retentionCells(`cohort ${row.day} ${row.value}`, { 1: row.d1, 7: row.d7, 28: row.d28 }),
  ]);
  expect(byBuild.filter(([name, players]) => /^cohort.*[+]28$/.test(name) && players > 0)).not.toEqual([]);
  expect(differingCells(byBuild, simulation, received)).toEqual([]);
  expect((await recountGame(pool, gameId)).differences).toEqual([]);
});
