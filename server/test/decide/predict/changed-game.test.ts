/** @module-tag full */
import { describe, expect, it } from 'vitest';
import { createNights } from '../../../../bench/predictions/nights.mjs';
import type { GradedName } from '../../../src/decide/predict/artefact.js';
import { distrustedAfterGrading } from '../../../src/decide/predict/distrust.js';
import { gradePredictions, HORIZONS, WEEK_DAYS } from '../../../src/decide/predict/grade-predictions.js';
import { gradeWeekOfRevenue } from '../../../src/decide/predict/grade-totals.js';
import { train } from '../../../src/decide/predict/train.js';
import type { OriginCells } from '../../../src/decide/predict/training-data.js';
import { seeded } from './simulate.js';
import { originCells, type SimulatedPlayer, simulateGame } from './simulated-game.js';

/** A short version of `bench/predictions/changed-games.mjs`: one game, night after night, whose players change on a day. */

const predict = {
  HORIZONS,
  WEEK_DAYS,
  train,
  gradePredictions,
  gradeWeekOfRevenue,
  distrustedAfterGrading,
};
const CHANGE = 20_056;
const FIRST_ORIGIN = CHANGE - 29;
const NIGHTS = 10;
const PLAYERS = simulateGame(4, 260, 90).players;

/** What is not trusted on each night, the first one being that after the day of the change. */
function nightsOf(players: readonly SimulatedPlayer[]): (readonly GradedName[])[] {
  const known = new Map<number, OriginCells>();
  const originAt = (day: number) => {
    if (day < FIRST_ORIGIN) return undefined;
    const origin = known.get(day) ?? originCells({ days: 90, players }, day);
    known.set(day, origin);
    return origin;
  };
  const { work } = createNights(predict, originAt, 'USD');
  work(CHANGE - 8);
  work(CHANGE - 1);
  return Array.from({ length: NIGHTS }, (_, night) => work(CHANGE + night).distrusted);
}

describe('a small game', () => {
  it('keeps its predictions while nothing changes', () => {
    expect(nightsOf(PLAYERS).flat()).toEqual([]);
  });

  it('loses those of churn within a week of a fall of activity to 15%, and does not get them back at the next training', () => {
    const random = seeded(8);
    const fallen = PLAYERS.map((player) => ({
      ...player,
      activeDays: player.activeDays.filter((day) => day < CHANGE || random() < 0.15),
    }));
    expectLoss(nightsOf(fallen), 'activity', 4);
  });

  it('loses that of revenue within a week of a fall of prices to a tenth, and no training brings it back', () => {
    // Of 260 players so few purchases are expected in a week that chance explains the fall.
    const cheap = simulateGame(4, 400, 90).players.map((player) => ({
      ...player,
      purchases: new Map(
        [...player.purchases].map(([day, spent]) => [day, day < CHANGE ? spent : spent / 10]),
      ),
    }));
    expectLoss(nightsOf(cheap), 'purchases.revenue', NIGHTS);
  });
});

/** Red within seven nights, and on so many nights from then on. */
function expectLoss(nights: readonly (readonly GradedName[])[], name: GradedName, kept: number): void {
  const isRed = nights.map((names) => names.includes(name));
  const first = isRed.indexOf(true);
  expect(first).toBeGreaterThanOrEqual(0);
  expect(first).toBeLessThan(7);
  const after = isRed.slice(first, first + kept);
  expect(after).toEqual(after.map(() => true));
}
