// How often payers who do exactly what the model says of them are red. Needs `npm run build`. `nice node bench/predictions/redrawn-weeks.mjs [payers [weeks]]`
// prints the shares of weeks that docs/predictions.md gives.
import { gradeModel, healthAfter } from '../../server/dist/decide/predict/grade.js';
import {
  gradeTotal,
  gradeWeekOfRevenue,
  totalHealthAfter,
} from '../../server/dist/decide/predict/grade-totals.js';
import { randomFrom } from '../../simulator/dist/model/random.js';
import { drawPurchases, TRUTH } from './simulated-game.mjs';

const [payers = 28, weeks = 3_000] = process.argv.slice(2).map(Number);
const DAY = 100;
const TOTALS = ['purchases.purchases', 'purchases.revenue', 'purchases.revenue90'];

/** Some buy once a week and are alike; of others a few spend most; the third are like those of the shipped prior. */
const GAMES = {
  weekly: { mbgNbd: { r: 2, alpha: 14, a: 0.8, b: 8 }, gammaGamma: TRUTH.gammaGamma },
  unequal: { mbgNbd: { r: 0.3, alpha: 5, a: 0.5, b: 8 }, gammaGamma: { p: 1, q: 2.2, v: 20 } },
  prior: { mbgNbd: { r: 2.74, alpha: 11, a: 0.64, b: 1.18 }, gammaGamma: { p: 0.82, q: 3.65, v: 53 } },
};

for (const [game, truth] of Object.entries(GAMES)) {
  const reds = new Map();
  const note = (name, health) => reds.set(name, (reds.get(name) ?? 0) + (health === 'red' ? 1 : 0));
  const artefact = artefactOf(truth);
  for (let week = 0; week < weeks; week++) {
    const origin = drawOrigin(randomFrom(week, payers), truth);
    note('spend of a week', healthAfter('green', gradeModel(artefact, 'purchases', origin)));
    note('revenue of a week', totalHealthAfter('green', gradeWeekOfRevenue(artefact, origin)));
    for (const name of TOTALS) note(name, totalHealthAfter('green', gradeTotal(artefact, name, origin)));
  }
  const shares = [...reds].map(([name, count]) => `${name} ${((100 * count) / weeks).toFixed(2)}%`);
  console.log(`${game}, ${payers} payers, ${weeks} weeks: red ${shares.join(', ')}`);
}

function artefactOf({ mbgNbd, gammaGamma }) {
  const purchases = {
    state: 'ready',
    mbgNbd,
    regression: undefined,
    calibration: { slope: 1, offset: 0 },
    value: { kind: 'gamma_gamma', ...gammaGamma },
    purchasesPerDay: 1,
    factors: { purchases: 1, revenue: 1, revenue90: 1 },
  };
  return { models: { purchases, activity: { state: 'cold_start' }, conversion: { state: 'cold_start' } } };
}

function drawOrigin(random, truth) {
  const drawn = Array.from({ length: payers }, () => drawPayer(random, truth));
  const buyers = drawn.map(({ x, tx, t, spent7 }) => ({
    ...{ activity: {}, history: { x, tx, t } },
    ...{ players: 1, spent7 },
  }));
  return { day: DAY, activity: [], payers: drawn, buyers, nonPayers: {} };
}

function drawPayer(random, truth) {
  const bought = [...drawPurchases(random, 0, DAY + 91, DAY, truth)].map(([day, spent]) => ({
    day,
    spent: Number(spent),
  }));
  const past = bought.filter(({ day }) => day <= DAY);
  const within = (days) => bought.filter(({ day }) => day > DAY && day <= DAY + days);
  const sum = (some) => some.reduce((before, { spent }) => before + spent, 0);
  const [first] = past;
  const x = past.length - 1;
  return {
    ...{ x, tx: past.at(-1).day - first.day, t: DAY - first.day, players: 1 },
    meanValue: x > 0 ? sum(past.slice(1)) / x : null,
    spent7: within(7).length > 0 ? 1 : 0,
    ...{ purchaseDays28: within(28).length, purchases28: within(28).length },
    ...{ revenue7: sum(within(7)), revenue28: sum(within(28)), revenue90: sum(within(90)) },
  };
}
