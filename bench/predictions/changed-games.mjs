// How predictions fare when a game changes overnight. Needs `npm run build`. `nice node bench/predictions/changed-games.mjs [--players 300,2000] [--games 8]
// [--changes activity,prices,whale,nothing] [--seed 101]` prints the table of docs/predictions.md.
import { parseArgs } from 'node:util';
import { EMPTY, LAST_SIMULATED_DAY, originsOf } from '../../scripts/simulated-training.mjs';
import * as applyModels from '../../server/dist/decide/predict/apply-models.js';
import * as distrust from '../../server/dist/decide/predict/distrust.js';
import * as features from '../../server/dist/decide/predict/features.js';
import * as gradePredictions from '../../server/dist/decide/predict/grade-predictions.js';
import * as gradeTotals from '../../server/dist/decide/predict/grade-totals.js';
import * as logLossGain from '../../server/dist/decide/predict/log-loss-gain.js';
import * as payerSpread from '../../server/dist/decide/predict/payer-spread.js';
import * as training from '../../server/dist/decide/predict/train.js';
import { beta, randomFrom } from '../../simulator/dist/model/random.js';
import { normalTail } from '../../statistics/dist/special/normal.js';
import { createNights } from './nights.mjs';
import { drawPurchases, PAYER_SHARE, TRUTH } from './simulated-game.mjs';

const { values } = parseArgs({
  options: {
    players: { type: 'string', default: '300,2000' },
    games: { type: 'string', default: '8' },
    changes: { type: 'string', default: 'activity,prices,whale,nothing' },
    seed: { type: 'string', default: '1' },
    verbose: { type: 'boolean', default: false },
  },
});

const HISTORY_DAYS = 84;
const NIGHTS = 28;
/** Before the change, so that it finds predictions that have been in force for a while. */
const NIGHTS_BEFORE = 8;
const NEXT_DAYS = 7;
const DAYS = HISTORY_DAYS + NIGHTS + NEXT_DAYS;
/** The first day after the change. */
const CHANGE = LAST_SIMULATED_DAY + 1 - NIGHTS - NEXT_DAYS;

const CHANGES = {
  nothing: (lives) => lives,
  activity: (lives, random) =>
    lives.map((days) => days.filter(({ day }, at) => at === 0 || day < CHANGE || random() < 0.15)),
  prices: (lives) =>
    lives.map((days) => days.map((sums) => (sums.day < CHANGE ? sums : { ...sums, spent: sums.spent / 10 }))),
  whale: (lives, random, players) => [...lives, whale(random, players)],
};

/** Payers buy once a week, and most of them stay: a game of 300 players sells some thirty times a week. */
const GAME = { ...TRUTH, mbgNbd: { r: 2, alpha: 14, a: 0.8, b: 8 } };

function visitsOf(random, firstDay, endDay) {
  const active = beta(random, GAME.bgBb.alpha, GAME.bgBb.beta);
  const leave = beta(random, GAME.bgBb.gamma, GAME.bgBb.delta);
  const visits = [firstDay];
  for (let day = firstDay + 1; day < endDay && random() >= leave; day++) {
    if (random() < active) visits.push(day);
  }
  return visits;
}

function lifeOf(random, first) {
  // Players join on all days: a game whose last player has come is no longer the same.
  const visits = new Set(visitsOf(random, first + Math.floor(DAYS * random()), first + DAYS));
  const firstDay = Math.min(...visits);
  const isPayer = random() < PAYER_SHARE;
  const purchases = isPayer ? drawPurchases(random, firstDay, first + DAYS, 28, GAME) : new Map();
  return [...new Set([...visits, ...purchases.keys()])]
    .sort((one, other) => one - other)
    .map((day) => {
      const isVisit = visits.has(day);
      const spent = Number(purchases.get(day) ?? 0);
      return {
        ...EMPTY,
        day,
        ...(isVisit && {
          sessions: 1 + (day % 3),
          adImpressions: day % 5,
          storeViews: day % 2,
          playMs: 600_000,
        }),
        ...(spent > 0 && { purchases: 1, spent }),
      };
    });
}

/** Plays every day and spends, on every other one, about as much as all others do in two days, until the change. */
function whale(random, players) {
  const from = CHANGE - 60;
  return Array.from({ length: 60 + NIGHTS + NEXT_DAYS }, (_, at) => {
    const buys = at === 0 || (from + at < CHANGE && random() < 0.5);
    return {
      ...EMPTY,
      day: from + at,
      sessions: 3,
      playMs: 3_600_000,
      storeViews: 2,
      ...(buys && { purchases: 1, spent: players }),
    };
  });
}

const predict = { ...gradePredictions, ...gradeTotals, ...distrust, ...training };

/**
 * By how much the model was nearer to the week after a night than the average, in units of log-likelihood; undefined where it is not in force. `chance` is
 * the probability that the average would be nearer if the model were the truth: the less there is to tell, the more often chance decides.
 */
function gains({ artefact, distrusted }, origin) {
  const { models, baseRates } = artefact;
  const found = {};
  const trusted = (name) => !distrusted.includes(name);
  const of = (cells, rate) => {
    const { sum, average } = logLossGain.gainOver(rate, cells);
    return { gain: sum, average, chance: chanceOf(cells, rate) };
  };
  if (models.activity.state === 'ready' && trusted('activity')) {
    const cells = origin.activity.filter(features.isPresent).map((cell) => ({
      predicted: applyModels.churnOf(models.activity, cell),
      players: cell.players,
      positives: cell.players - cell.returned7,
    }));
    found.churn = of(cells, baseRates.churn);
  }
  if (models.conversion.state === 'ready' && trusted('conversion')) {
    const cells = origin.activity
      .filter(({ isPayer }) => !isPayer)
      .map((cell) => ({
        predicted: applyModels.conversionOf(models.conversion, cell),
        players: cell.players,
        positives: cell.spent7,
      }));
    found.conversion = of(cells, baseRates.nonPayers.spend);
  }
  if (models.purchases.state === 'ready' && trusted('purchases')) {
    const cells = origin.buyers.map((cell) => ({
      predicted: applyModels.payerSpend(models.purchases, cell),
      players: cell.players,
      positives: cell.spent7,
    }));
    found.spend = of(cells, baseRates.payers.spend);
    if (trusted('purchases.revenue') && models.purchases.value !== null)
      found.revenue = revenueGain(models.purchases, baseRates.payers.revenue / 4, origin);
  }
  return found;
}

function chanceOf(cells, rate) {
  let [mean, variance] = [0, 0];
  for (const { predicted: p, players } of cells) {
    const [ofPositive, ofNegative] = [Math.log(p / rate), Math.log1p(-p) - Math.log1p(-rate)];
    mean += players * (p * ofPositive + (1 - p) * ofNegative);
    variance += players * p * (1 - p) * (ofPositive - ofNegative) ** 2;
  }
  return variance > 0 ? normalTail(mean / Math.sqrt(variance)) : 0;
}

/** The deviance of amounts (Poisson), which is least on average for whoever tells the mean. */
function revenueGain(model, average, { payers }) {
  let gain = 0;
  let [told, came, mean] = [0, 0, 0];
  for (const cell of payers) {
    const each = payerSpread.expectedRevenue(model, cell, 7, model.factors.revenue).mean;
    gain += cell.revenue7 * Math.log(each / average) - cell.players * (each - average);
    told += each * cell.players;
    came += cell.revenue7;
    mean += average * cell.players;
  }
  revenueGain.last = { told, came, mean };
  return { gain };
}

const NAMES = ['churn', 'spend', 'conversion', 'revenue'];
const REDS = {
  churn: ['activity'],
  spend: ['purchases'],
  conversion: ['conversion'],
  revenue: ['purchases', 'purchases.revenue'],
};

for (const players of values.players.split(',').map(Number)) {
  for (const change of values.changes.split(',')) {
    const games = [];
    for (let game = 0; game < Number(values.games); game++) {
      games.push(play(players, change, Number(values.seed) + game));
    }
    report(players, change, games);
  }
}

function play(players, change, seed) {
  const random = randomFrom(seed, 77);
  const first = LAST_SIMULATED_DAY + 1 - DAYS;
  const usual = Array.from({ length: Math.round((players * DAYS) / HISTORY_DAYS) }, (_, index) =>
    lifeOf(randomFrom(seed, index), first),
  );
  const lives = CHANGES[change](usual, random, players);
  const days = Array.from({ length: DAYS - NEXT_DAYS }, (_, at) => first + at);
  const origins = originsOf(lives, days);
  const nights = createNights(predict, (day) => origins[day - first], 'USD');
  const found = [];
  for (let night = -NIGHTS_BEFORE; night <= NIGHTS; night++) {
    const day = CHANGE - 1 + night;
    const { graded, artefact, distrusted, report } = nights.work(day);
    const origin = origins[day - first];
    found.push({
      night,
      graded,
      distrusted,
      gains: origin ? gains({ artefact, distrusted }, origin) : {},
      report,
      money: revenueGain.last,
    });
    if (values.verbose) {
      const g = found.at(-1).gains;
      const m = revenueGain.last ?? {};
      console.log(
        seed,
        night,
        'graded',
        graded.join(' ') || '-',
        '| in force distrust',
        distrusted.join(' ') || '-',
        '|',
        NAMES.map((n) => `${n} ${g[n]?.gain.toFixed(1) ?? '-'}`).join(' '),
        '|',
        `told ${m.told?.toFixed(0)} came ${m.came?.toFixed(0)} avg ${m.mean?.toFixed(0)}`,
        '|',
        report.map(({ outcome }) => outcome[0]).join(''),
        `payers ${origin?.payers.reduce((s, c) => s + c.players, 0)}`,
      );
    }
  }
  return found;
}

/**
 * Nights 1 to 7 are those in which the change has to be found. `worse`: in force, and further from the next week than the average; in brackets as many
 * nights as chance alone would make so if every model in force were the truth. `nearer`: by how much the log-loss of those in force is below that of the average.
 */
function report(players, change, games) {
  for (const name of NAMES) {
    const nights = games.flat().filter(({ night }) => night > 0);
    const inForce = (some) => some.flatMap(({ gains: { [name]: found } }) => found ?? []);
    const total = (some, of) => some.reduce((sum, found) => sum + (found[of] ?? 0), 0);
    const share = (some) => {
      const found = inForce(some);
      const worse = found.filter(({ gain }) => gain < 0).length;
      const chance = name === 'revenue' ? '' : ` (${total(found, 'chance').toFixed(0)})`;
      return `${worse}${chance} of ${found.length}`;
    };
    const isRed = ({ graded }) => graded.some((red) => REDS[name].includes(red));
    const redsOf = (some) =>
      some
        .map((found) => found.find((night) => night.night > 0 && isRed(night))?.night)
        .filter((night) => night !== undefined)
        .sort((one, other) => one - other);
    // A game may have had no model when it changed. Brackets: such a game had one later.
    const had = games.filter((found) =>
      found.some(({ night, gains: { [name]: gain } }) => night >= 0 && night <= 7 && gain !== undefined),
    );
    const [reds, others] = [redsOf(had), redsOf(games.filter((found) => !had.includes(found)))];
    const list = [...reds, ...others.map((night) => `[${night}]`)].join(', ');
    const first = list === '' ? 'none' : `${reds.length} of ${had.length}: ${list}`;
    const early = nights.filter(({ night }) => night <= 7);
    const late = nights.filter(({ night }) => night > 7);
    const found = inForce(late);
    const average = total(found, 'average');
    const nearer = average > 0 ? `${((100 * total(found, 'gain')) / average).toFixed(1)}%` : '–';
    console.log(
      `| ${players.toLocaleString('en-US')} | ${change} | \`${name}\` | ${first} | ${share(early)} | ${share(late)} | ${late.length} | ${nearer} |`,
    );
  }
}
