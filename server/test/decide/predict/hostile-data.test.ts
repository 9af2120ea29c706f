import { describe, expect, it } from 'vitest';
import { PREDICTION_NAMES } from '../../../src/decide/predict/artefact.js';
import { readArtefact } from '../../../src/decide/predict/read-artefact.js';
import { score } from '../../../src/decide/predict/score.js';
import { train } from '../../../src/decide/predict/train.js';
import type {
  ActivityCell,
  OriginCells,
  PayerCell,
  TrainingData,
} from '../../../src/decide/predict/training-data.js';
import { expectedGame, LAST_DAY } from './expected-game.js';

/** Data that no model was made for. Whatever comes in, what comes out is numbers; what cannot be fitted says why. */
const TODAY = LAST_DAY + 1;

const heavyBuyer: PayerCell = {
  x: 20_000,
  tx: 20_100,
  t: 20_100,
  meanValue: 3,
  players: 1,
  spent7: 1,
  purchaseDays28: 28,
  purchases28: 20_000,
  revenue7: 15_000,
  revenue28: 60_000,
  revenue90: 180_000,
};
const newcomer: ActivityCell = {
  n: 0,
  x: 0,
  tx: 0,
  active7: 1,
  active28: 1,
  sessions7: 1,
  playMinutes7: 0,
  adImpressions7: 0,
  storeViews7: 0,
  purchases28: 0,
  isPayer: false,
  players: 5_000,
  returned7: 2_000,
  spent7: 0,
};
const oneTimer: PayerCell = {
  ...heavyBuyer,
  x: 0,
  tx: 0,
  t: 30,
  meanValue: null,
  players: 900,
  spent7: 0,
  purchaseDays28: 0,
  purchases28: 0,
  revenue7: 0,
  revenue28: 0,
  revenue90: 0,
};

/** All of them with the activity of a newcomer. */
function withPayers(origin: OriginCells, payers: readonly PayerCell[]): OriginCells {
  const { players: _, returned7: __, spent7: ___, ...activity } = newcomer;
  const buyers = payers.map(({ x, tx, t, players, spent7 }) => ({
    activity: { ...activity, isPayer: true },
    history: { x, tx, t },
    players,
    spent7,
  }));
  return { ...origin, payers, buyers };
}

const CASES: [string, (origin: OriginCells) => OriginCells, Record<string, RegExp>][] = [
  ['a heavy buyer among the payers', (origin) => withPayers(origin, [...origin.payers, heavyBuyer]), {}],
  [
    'a single payer',
    (origin) => withPayers(origin, [heavyBuyer]),
    { purchases: /^all players had the same outcome$/ },
  ],
  ['no payer', (origin) => withPayers(origin, []), { purchases: /^there is nobody to test the model with$/ }],
  [
    'payers who bought once',
    (origin) => withPayers(origin, [oneTimer]),
    { purchases: /^all players had the same outcome$/ },
  ],
  [
    'prices of 0',
    (origin) => ({
      ...origin,
      payers: origin.payers.map((cell) => ({
        ...cell,
        meanValue: cell.meanValue === null ? null : 0,
        revenue28: 0,
        revenue90: 0,
      })),
    }),
    {},
  ],
  [
    'refunds of more than was paid',
    (origin) => ({
      ...origin,
      payers: origin.payers.map((cell) => ({ ...cell, revenue28: -50, revenue90: -50 })),
    }),
    {},
  ],
  [
    'all payers identical',
    (origin) =>
      withPayers(origin, [
        {
          ...heavyBuyer,
          x: 2,
          tx: 10,
          t: 20,
          players: 900,
          spent7: 90,
          purchaseDays28: 200,
          purchases28: 200,
        },
      ]),
    {},
  ],
  [
    'all players identical',
    (origin) => ({ ...origin, activity: [newcomer] }),
    { activity: /^not certain to be better than the average yet: / },
  ],
  [
    'a game of one day',
    (origin) => ({
      ...withPayers(origin, [{ ...oneTimer, t: 0 }]),
      activity: [newcomer, { ...newcomer, n: 1 }],
    }),
    {},
  ],
  [
    'everybody returning',
    (origin) => ({
      ...origin,
      activity: origin.activity.map((cell) => ({ ...cell, returned7: cell.players })),
    }),
    {},
  ],
  [
    'nobody returning',
    (origin) => ({ ...origin, activity: origin.activity.map((cell) => ({ ...cell, returned7: 0 })) }),
    {},
  ],
  [
    'features without variance',
    (origin) => ({
      ...origin,
      activity: origin.activity.map((cell) => ({
        ...cell,
        active7: 3,
        active28: 3,
        sessions7: 2,
        playMinutes7: 2,
        storeViews7: 0,
      })),
    }),
    {},
  ],
  [
    'nobody at all',
    (origin) => ({ ...withPayers(origin, []), activity: [] }),
    { activity: /^there is nobody to test the model with$/ },
  ],
];

const facts = [
  { firstDay: TODAY, activeDays: [], purchaseDays: [], repeatSpend: {}, recentDays: [] },
  {
    firstDay: TODAY - 20_100,
    activeDays: [[TODAY - 20_100, TODAY] as const],
    purchaseDays: [[TODAY - 20_100, TODAY - 99] as const],
    repeatSpend: { USD: 1e12 },
    recentDays: [
      {
        epochDay: TODAY - 1,
        sessions: 1e9,
        adImpressions: 1e9,
        storeViews: 1e9,
        playMs: 1e15,
        purchases: 20_000,
      },
    ],
  },
  {
    firstDay: TODAY + 365,
    activeDays: [[TODAY + 365, TODAY + 366] as const],
    purchaseDays: [[TODAY + 365, TODAY + 366] as const],
    repeatSpend: { USD: 0 },
    recentDays: [],
  },
];

describe.each(CASES)('%s', (_, change, reasons) => {
  const game = expectedGame(20_000, 600, 3);
  const data: TrainingData = { ...game, origins: game.origins.map(change) };
  const { artefact, report } = train(data, 1, null);

  it('leaves an artefact without NaN or Infinity', () => {
    // JSON makes null of them, which the reader refuses where a number has to be.
    const text = JSON.stringify(artefact, (key, value) => (key === 'players' ? Math.ceil(value) : value));
    expect(readArtefact(JSON.parse(text))).toMatchObject({ readable: true });
  });

  it('gives every player numbers', () => {
    for (const player of facts) {
      const predictions = score(player, artefact, TODAY);
      for (const name of PREDICTION_NAMES) {
        const { value } = predictions[name];
        expect(Number.isFinite(value) && value >= 0, `${name} is ${value}`).toBe(true);
      }
    }
  });

  it('says why where there is no model', () => {
    for (const { model, outcome, reason } of report) {
      if (outcome !== 'promoted') expect(reason).not.toBe('');
      const expected = reasons[model];
      if (expected !== undefined) expect(reason).toMatch(expected);
    }
  });
});
