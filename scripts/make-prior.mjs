// `npm run prior` writes the prior that ships with the product (server/src/decide/predict/shipped-prior.gen.ts): models of several
// games that the simulator plays, averaged. No data of a real game is in it. The same seeds give the same file.
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { fitBgBb } from '../server/dist/decide/predict/bg-bb.js';
import { FEATURES, featuresOf, isPresent } from '../server/dist/decide/predict/features.js';
import { fitGammaGamma } from '../server/dist/decide/predict/gamma-gamma.js';
import { fitLogistic, logisticLogOdds } from '../server/dist/decide/predict/logistic.js';
import { fitMbgNbd } from '../server/dist/decide/predict/mbg-nbd.js';
import { PAYER_FEATURES, payerFeaturesOf } from '../server/dist/decide/predict/payer-features.js';
import { simulateOrigins } from './simulated-training.mjs';

/** Games of several kinds: how often players come, how fast they leave, how many of them pay and how often. None is the default of the simulator. */
const GAMES = [
  // Hyper-casual: players try it and leave.
  {
    playsDaily: [1.2, 1.6],
    leavesDaily: [0.7, 1.0],
    sessionsPerDay: 1.0,
    payerShare: 0.015,
    purchasesPerSession: 0.08,
  },
  {
    playsDaily: [1.5, 1.5],
    leavesDaily: [0.6, 1.3],
    sessionsPerDay: 1.2,
    payerShare: 0.025,
    purchasesPerSession: 0.1,
  },
  {
    playsDaily: [2.0, 1.0],
    leavesDaily: [0.6, 2.0],
    sessionsPerDay: 1.6,
    payerShare: 0.04,
    purchasesPerSession: 0.14,
  },
  {
    playsDaily: [1.6, 1.4],
    leavesDaily: [0.5, 2.2],
    sessionsPerDay: 2.0,
    payerShare: 0.05,
    purchasesPerSession: 0.1,
  },
  // Mid-core: who stays, stays for long.
  {
    playsDaily: [2.4, 1.1],
    leavesDaily: [0.5, 3.0],
    sessionsPerDay: 2.5,
    payerShare: 0.06,
    purchasesPerSession: 0.16,
  },
  {
    playsDaily: [2.0, 1.6],
    leavesDaily: [0.45, 4.0],
    sessionsPerDay: 1.8,
    payerShare: 0.08,
    purchasesPerSession: 0.2,
  },
  // A few evenings a week.
  {
    playsDaily: [1.2, 2.4],
    leavesDaily: [0.5, 4.0],
    sessionsPerDay: 0.8,
    payerShare: 0.05,
    purchasesPerSession: 0.18,
  },
  {
    playsDaily: [1.1, 1.1],
    leavesDaily: [0.8, 2.4],
    sessionsPerDay: 1.4,
    payerShare: 0.1,
    purchasesPerSession: 0.08,
  },
];
const SIZE = { players: 12_000, days: 90, weeks: 7 };
/** The weeks that regressions learn from, as in a training. */
const REGRESSION_WEEKS = 4;
/** Games differ at least this much, in logarithms: eight invented ones do not know how real ones differ. */
const MIN_DEVIATION = 1;

const fits = GAMES.map((habits, index) => fitGame({ seed: 1_000 + index, habits, ...SIZE }));
const prior = {
  bgBb: logNormal('bgBb', ['alpha', 'beta', 'gamma', 'delta']),
  mbgNbd: logNormal('mbgNbd', ['r', 'alpha', 'a', 'b']),
  gammaGamma: logNormal('gammaGamma', ['p', 'q', 'v']),
  churn: averageModel('churn'),
  conversion: averageModel('conversion'),
  spend: averageModel('spend'),
};
const file = fileURLToPath(new URL('../server/src/decide/predict/shipped-prior.gen.ts', import.meta.url));
const features = (list) => list.map(({ name }) => name).join(', ');
await writeFile(
  file,
  `import type { ShippedPrior } from './prior.js';

/**
 * Written by \`npm run prior\` (scripts/make-prior.mjs) from ${GAMES.length} games that the simulator plays, of ${SIZE.players.toLocaleString('en-US')} players each. No real game is in it.
 *
 * bgBb: alpha, beta, gamma, delta. mbgNbd: r, alpha, a, b. gammaGamma: p, q, v.
 * churn, conversion: ${features(FEATURES)}.
 * spend: ${features(PAYER_FEATURES)}.
 */
export const SHIPPED_PRIOR: ShippedPrior = ${JSON.stringify(prior)};
`,
);
execFileSync('npx', ['biome', 'check', '--write', file], { stdio: 'ignore' });
console.log('Wrote shipped-prior.gen.ts');

/** The models of one game, fitted as a training does, without a prior. */
function fitGame(game) {
  const origins = simulateOrigins(game).slice(-REGRESSION_WEEKS);
  const newest = origins.at(-1);
  const bgBb = parametersOf(fitBgBb(newest.activity));
  const mbgNbd = parametersOf(fitMbgNbd(newest.payers));
  const repeating = newest.payers.filter(({ x, meanValue }) => x > 0 && meanValue > 0);
  const gammaGamma = inMiddle(repeating, parametersOf(fitGammaGamma(repeating)));
  const all = origins.flatMap(({ activity }) => activity);
  const labelled = (cells, positives) =>
    fitLogistic(
      cells.map((cell) => ({
        features: featuresOf(cell, bgBb),
        players: cell.players,
        positives: positives(cell),
      })),
    );
  const fits = {
    bgBb,
    mbgNbd,
    gammaGamma,
    churn: labelled(all.filter(isPresent), ({ players, returned7 }) => players - returned7),
    conversion: labelled(
      all.filter(({ isPayer }) => !isPayer),
      ({ spent7 }) => spent7,
    ),
    spend: fitLogistic(
      origins
        .flatMap(({ buyers }) => buyers)
        .map((cell) => ({
          features: payerFeaturesOf(cell, { bgBb, mbgNbd }),
          players: cell.players,
          positives: cell.spent7,
        })),
    ),
  };
  console.log(`game ${game.seed}`, JSON.stringify({ bgBb, mbgNbd, gammaGamma }));
  return fits;
}

function parametersOf(fit) {
  if (!fit.fitted) throw new Error(fit.reason);
  return fit.parameters;
}

/** For amounts around 1, as `fitGammaGamma` counts them. */
function inMiddle(cells, { p, q, v }) {
  const players = cells.reduce((sum, cell) => sum + cell.players, 0);
  const logs = cells.reduce((sum, { players: count, meanValue }) => sum + count * Math.log(meanValue), 0);
  return { p, q, v: v / Math.exp(logs / players) };
}

/** Medians: where few payers buy again, the likelihood of one game may have its summit far away. */
function logNormal(name, members) {
  const logs = members.map((member) => fits.map((fit) => Math.log(fit[name][member])));
  return {
    medians: logs.map((each) => rounded(Math.exp(median(each)))),
    deviations: logs.map((each) => rounded(Math.max(MIN_DEVIATION, deviation(each)))),
  };
}

/** The mean of the coefficients per unit of a feature, for features with the mean of the means and of the deviations. */
function averageModel(name) {
  const models = fits.map((fit) => fit[name]);
  const columns = models[0].means.map((_, at) => at);
  const means = columns.map((at) => mean(models.map((model) => model.means[at])));
  const deviations = columns.map((at) => mean(models.map((model) => model.deviations[at])));
  return {
    intercept: rounded(mean(models.map((model) => logisticLogOdds(model, means)))),
    coefficients: columns.map((at) =>
      rounded(deviations[at] * mean(models.map((model) => model.coefficients[at] / model.deviations[at]))),
    ),
    means: means.map(rounded),
    deviations: deviations.map(rounded),
  };
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function median(values) {
  const sorted = [...values].sort((one, other) => one - other);
  return mean([sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.ceil((sorted.length - 1) / 2)]]);
}

/** From the median distance from the median: 1.48 times that, for a normal distribution. */
function deviation(values) {
  const middle = median(values);
  return 1.48 * median(values.map((value) => Math.abs(value - middle)));
}

function rounded(value) {
  return Number(value.toPrecision(4));
}
