// npm run bench -- experiments [--runs 2000] [--looks 100] [--seed 1]
// What the statistics of experiments promise, by simulation: false alarms of daily looks, coverage, power at the planned size, a whale,
// CUPED. Prints the tables of docs/experiments.md. A promise that is not kept makes the run fail.
import { parseArgs } from 'node:util';
import {
  absoluteEffect,
  bucketOfValue,
  cupedEstimate,
  cupedSlope,
  meanEstimate,
  NO_TRIPLES,
  pairMomentsOf,
  plus,
  sequenceInterval,
  sequenceSampleSize,
  tripleMomentsOf,
  twoCupedEstimate,
  twoSlopes,
  variancesOfShare,
} from '@savepoint/statistics';
import {
  addValue,
  normalOf,
  randomOf,
  simulateArrivals,
  simulateGrowth,
} from './experiments/simulated-arms.mjs';
import { lookAt } from './experiments/verdicts.mjs';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '2000' },
    looks: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
  },
});
const [runs, looks, seed] = [Number(values.runs), Number(values.looks), Number(values.seed)];
const broken = [];

/** Runs a simulation often, and counts the runs of which something is true. */
function count(times, run) {
  const totals = {};
  for (let at = 0; at < times; at += 1) {
    for (const [name, is] of Object.entries(run(randomOf(seed * 1_000_003 + at)))) {
      totals[name] = (totals[name] ?? 0) + Number(is);
    }
  }
  return Object.fromEntries(Object.entries(totals).map(([name, total]) => [name, total / times]));
}

/** Whether any look was significant, and whether the last interval covers the truth. */
function watch(options, truth = 0) {
  const seen = { proven: false, naive: false, covered: true, atEnd: false };
  const onLook = (arms) => {
    const look = lookAt(arms, options);
    seen.proven ||= look.isProven;
    seen.naive ||= look.isNaive;
    seen.covered = Math.abs(look.effect.value - truth) <= look.halfWidth;
    seen.atEnd = look.isProven;
  };
  return { seen, onLook };
}

const percent = (share) => `${(100 * share).toFixed(1)}%`;
const row = (...cells) => console.log(`| ${cells.join(' | ')} |`);
function promise(text, isKept) {
  if (!isKept) broken.push(text);
}

const arrivals = (perLook, conversions = [0.04, 0.04]) =>
  perLook.map((each, at) => ({ perLook: each, conversion: conversions[at], spend: 1 }));
const AA = [
  ['conversion, 100 players a day in each arm', 'share', { arms: arrivals([100, 100]) }, 20_000],
  ['revenue, 200 players a day in each arm', 'capped', { arms: arrivals([200, 200]) }, 40_000],
  ['revenue, not capped', 'mean', { arms: arrivals([200, 200]) }, 40_000],
  [
    'revenue that goes on growing, 5,000 players in each arm from the first day on',
    'capped',
    { arms: [...Array(2)].map(() => ({ players: 5_000, payers: 400 })), daily: 0.05 },
    10_000,
  ],
  [
    'the same, 5% held out of 20,000 players',
    'capped',
    {
      arms: [
        { players: 1_000, payers: 80 },
        { players: 19_000, payers: 1_520 },
      ],
      daily: 0.05,
    },
    10_000,
  ],
];

console.log(`\nA/A: ${runs} runs without any effect, ${looks} looks each\n`);
row('what is compared', 'ever significant', 'with intervals for one look', 'covered at the end');
row('---', '---', '---', '---');
for (const [name, metric, game, tunedTo] of AA) {
  const result = count(runs, (random) => {
    const { seen, onLook } = watch({ metric, tunedTo });
    const simulate = game.daily === undefined ? simulateArrivals : simulateGrowth;
    simulate({ random, looks, bucketOf: bucketOfValue, onLook, ...game });
    return seen;
  });
  row(name, percent(result.proven), percent(result.naive), percent(result.covered));
  promise(`${name}: at most 5% ever significant`, result.proven <= 0.05);
  if (game.daily === undefined) promise(`${name}: one look at a time errs in 30%`, result.naive >= 0.3);
  promise(`${name}: 95% covered`, result.covered >= 0.95);
}

console.log('\nThe planned effect: +1 point of conversion\n');
row(
  'conversion',
  'looks until the planned size',
  'players',
  'found by then',
  'significant on the last day',
  'covered at the end',
);
row('---', '---', '---', '---', '---', '---');
const effect = 0.01;
for (const base of [0.04, 0.01]) {
  const planned = sequenceSampleSize({ ...variancesOfShare(base, effect), effect });
  for (const days of [1, 20, looks]) {
    const perLook = Math.ceil(planned.control / days);
    const result = count(runs, (random) => {
      const { seen, onLook } = watch({ metric: 'share', tunedTo: planned.total }, effect);
      const arms = arrivals([perLook, perLook], [base, base + effect]);
      simulateArrivals({ random, looks: days, bucketOf: bucketOfValue, onLook, arms });
      return seen;
    });
    const name = `${100 * base}% becomes ${100 * (base + effect)}%`;
    const { proven, atEnd, covered } = result;
    row(name, days, 2 * perLook * days, percent(proven), percent(atEnd), percent(covered));
    if (days > 1) promise(`${name}, ${days} looks: found in 80%`, proven >= 0.8);
    promise(`${name}, ${days} looks: 95% covered`, covered >= 0.95);
  }
}

console.log(
  '\nA whale: one payer spends as much as all others together; 20,000 players in each arm, revenue\n',
);
row(
  'effect',
  'whale',
  'proven without',
  'proven with',
  'verdicts that changed',
  'changed if nothing were capped',
);
row('---', '---', '---', '---', '---', '---');
for (const spend of [1, 1.4]) {
  for (const who of ['the largest payer', 'any payer']) {
    const result = count(runs / 4, (random) => whale(random, spend, who === 'the largest payer'));
    const name = spend === 1 ? 'none' : `+${Math.round(100 * (spend - 1))}%`;
    row(name, who, ...['before', 'after', 'changed', 'uncapped'].map((key) => percent(result[key])));
    if (who === 'the largest payer') promise(`a whale changes no verdict (${name})`, result.changed === 0);
    else promise(`a whale hardly changes a verdict (${name})`, result.changed <= 0.02);
  }
}

/** Verdicts about the same players before and after one of them is made a whale. */
function whale(random, spend, isLargest) {
  const values = [];
  const bucketOf = (value) => {
    values.push(value);
    return bucketOfValue(value);
  };
  const arms = arrivals([20_000, 20_000]).map((arm, at) => ({ ...arm, spend: at === 0 ? 1 : spend }));
  const sums = simulateArrivals({ random, looks: 1, bucketOf, onLook: () => {}, arms });
  const verdict = (metric) => lookAt(sums, { metric, tunedTo: 40_000 }).isProven;
  const [before, uncappedBefore] = [verdict('capped'), verdict('mean')];
  const ofArm = values.slice(sums[0].payers);
  const victim = isLargest ? Math.max(...ofArm) : ofArm[Math.floor(random() * ofArm.length)];
  const all = values.reduce((sum, value) => sum + value, 0);
  addValue(sums[1], victim, bucketOfValue, -1);
  addValue(sums[1], all - victim, bucketOfValue);
  const [after, uncappedAfter] = [verdict('capped'), verdict('mean')];
  return { before, after, changed: before !== after, uncapped: uncappedBefore !== uncappedAfter };
}

console.log('\nCUPED: what is left of the width of the interval, 2,000 players in each arm, 50 runs\n');
row('correlation with the days before', 'as it should be', 'measured');
row('---', '---', '---');
for (const correlation of [0, 0.3, 0.6, 0.9]) {
  const { width } = count(50, (random) => {
    const draw = () => {
      const before = normalOf(random);
      return [correlation * before + Math.sqrt(1 - correlation ** 2) * normalOf(random), before];
    };
    const arms = [...Array(2)].map(() => pairMomentsOf(Array.from({ length: 2_000 }, draw)));
    const slope = cupedSlope(arms);
    const adjusted = absoluteEffect(...arms.map((arm) => cupedEstimate(arm, slope)));
    return { width: adjusted.standardError / absoluteEffect(...arms.map(meanEstimate)).standardError };
  });
  const expected = Math.sqrt(1 - correlation ** 2);
  row(correlation, percent(expected), percent(width));
  promise(`CUPED at ${correlation}`, Math.abs(width - expected) < 0.01);
}

console.log(
  `\nCUPED with the forecast of a model, too: what is left of the width, 2,000 players in each arm, 50 runs; and ${runs / 4} runs of ${looks} looks, 100 players a day in each arm\n`,
);
row(
  'correlation with the days before',
  'with the forecast',
  'as it should be',
  'measured',
  'ever significant without an effect',
  'covered at the end',
);
row('---', '---', '---', '---', '---', '---');
const twoCuped = (arms) => {
  const slopes = twoSlopes(arms);
  return absoluteEffect(...arms.map((arm) => twoCupedEstimate(arm, slopes)));
};
// Players who were new have no days before. The forecast goes with the days before, and with 0.5 of its own.
for (const [before, forecast] of [
  [null, 0.3],
  [null, 0.6],
  [0.6, 0.3],
  [0.6, 0.6],
]) {
  const shared = before === null ? 0 : 0.5;
  const own = Math.sqrt(1 - shared ** 2);
  // The slopes that give the value these correlations with both.
  const onOwn = (forecast - shared * (before ?? 0)) / own;
  const left = 1 - (before ?? 0) ** 2 - onOwn ** 2;
  const draw = (random) => {
    const [habit, mood] = [normalOf(random), normalOf(random)];
    const value = (before ?? 0) * habit + onOwn * mood + Math.sqrt(left) * normalOf(random);
    return [value, before === null ? 0 : habit, shared * habit + own * mood];
  };
  const playersOf = (random, n) => tripleMomentsOf(Array.from({ length: n }, () => draw(random)));
  const { width } = count(50, (random) => {
    const arms = [...Array(2)].map(() => playersOf(random, 2_000));
    return { width: twoCuped(arms).standardError / absoluteEffect(...arms.map(meanEstimate)).standardError };
  });
  const watched = count(runs / 4, (random) => {
    let arms = [NO_TRIPLES, NO_TRIPLES];
    const seen = { proven: false, covered: true };
    for (let look = 1; look <= looks; look += 1) {
      arms = arms.map((arm) => plus(arm, playersOf(random, 100)));
      const { low, high } = sequenceInterval(twoCuped(arms), { tunedTo: 200 * looks });
      seen.covered = low <= 0 && high >= 0;
      seen.proven ||= !seen.covered;
    }
    return seen;
  });
  const name = before === null ? 'none: new players' : before;
  row(
    name,
    forecast,
    percent(Math.sqrt(left)),
    percent(width),
    percent(watched.proven),
    percent(watched.covered),
  );
  promise(`forecast ${forecast} beside ${name}`, Math.abs(width - Math.sqrt(left)) < 0.01);
  promise(`forecast ${forecast} beside ${name}: at most 5% ever significant`, watched.proven <= 0.05);
  promise(`forecast ${forecast} beside ${name}: 95% covered`, watched.covered >= 0.95);
}

if (broken.length > 0) {
  console.error(`\nNot kept:\n${broken.join('\n')}`);
  process.exitCode = 1;
}
