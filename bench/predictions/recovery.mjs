import { nbdLikelihood } from '../../server/dist/decide/predict/beta-geometric-nbd.js';
import { bgBbAnyActivity, bgBbLikelihood } from '../../server/dist/decide/predict/bg-bb.js';
import { isPresent } from '../../server/dist/decide/predict/features.js';
import { gammaGammaLikelihood } from '../../server/dist/decide/predict/gamma-gamma.js';
import { gradeModel } from '../../server/dist/decide/predict/grade.js';
import { mbgNbdAnyPurchase } from '../../server/dist/decide/predict/mbg-nbd.js';
import { measureProbabilities } from '../../server/dist/decide/predict/metrics.js';
import { minimise } from '../../server/dist/decide/predict/minimise.js';

/** MBG/NBD: a player may leave after the first purchase already. */
const MBG = 1;
/** Those of the logarithms of parameters in a fit. */
const BOUNDS = { low: Math.log(1e-4), high: Math.log(1e5) };

/** What twice the difference of log-likelihoods exceeds by chance in one of a thousand cases, by the number of parameters. */
const CHI_SQUARE = { 3: 16.27, 4: 18.47 };

/**
 * How far the parameters that were found are from those that players were simulated with: each one in standard errors, and all of a
 * model together by how much better they explain what happened than the true ones. `fitted` is the origin that counts were fitted at,
 * `newest` that of the values.
 */
export function recovered({ models: { activity, purchases } }, fitted, newest, { truth, compared }) {
  const found = [];
  if (compared.includes('activity')) {
    const cells = grouped(fitted.activity, ['n', 'x', 'tx']);
    found.push(distances('BG/BB', activity.bgBb, truth.bgBb, bgBbLikelihood(cells)));
  }
  if (compared.includes('purchases')) {
    const payers = grouped(fitted.payers, ['x', 'tx', 't']);
    found.push(distances('MBG/NBD', purchases.mbgNbd, truth.mbgNbd, nbdLikelihood(payers, MBG)));
    if (purchases.value?.kind === 'gamma_gamma') {
      const values = newest.payers.filter(({ x, meanValue }) => x > 0 && meanValue > 0);
      const likelihood = gammaGammaLikelihood(values);
      found.push(distances('Gamma-Gamma', purchases.value, truth.gammaGamma, likelihood));
    }
  }
  return found;
}

function distances(model, parameters, truth, likelihood) {
  const names = Object.keys(truth);
  const found = names.map((name) => parameters[name]);
  const real = names.map((name) => truth[name]);
  const best = likelihood(found).value;
  return {
    model,
    parameters: names.map((name, at) => {
      const lost = 2 * (best - bestWith(likelihood, real, at));
      const standardErrors = Math.sign(found[at] - real[at]) * Math.sqrt(Math.max(0, lost));
      return { name: `${model} ${name}`, found: found[at], truth: real[at], standardErrors };
    }),
    gain: 2 * (best - likelihood(real).value),
    chance: CHI_SQUARE[names.length],
  };
}

/**
 * The greatest log-likelihood with the true value of one parameter. The root of twice what that loses is how many standard errors the
 * parameter is off (profile likelihood: Venzon and Moolgavkar, "A Method for Computing Profile-Likelihood-Based Confidence
 * Intervals", 1988). Errors from the curvature at the parameters that were found say the same where the likelihood is a
 * parabola, and mislead where it is a ridge.
 */
function bestWith(likelihood, real, fixed) {
  const free = real.flatMap((_, at) => (at === fixed ? [] : [at]));
  const { value } = minimise(
    (logs) => {
      const values = [...real];
      for (const [index, at] of free.entries()) values[at] = Math.exp(logs[index]);
      const here = likelihood(values);
      return { value: -here.value, gradient: free.map((at) => -here.gradient[at] * values[at]) };
    },
    free.map((at) => Math.log(real[at])),
    BOUNDS,
  );
  return -value;
}

/** Joins cells that differ only in statistics that the model does not use. */
function grouped(cells, names) {
  const found = new Map();
  for (const cell of cells) {
    const key = names.map((name) => cell[name]).join(',');
    const known = found.get(key);
    if (known === undefined) found.set(key, { ...cell });
    else known.players += cell.players;
  }
  return [...found.values()];
}

/** The metrics of a model in a week that it has not seen, and those of the true parameters for the same players. */
export function heldOut(artefact, origin, { truth, compared }) {
  const churn = origin.activity.filter(isPresent).map((cell) => ({
    predicted: 1 - bgBbAnyActivity(truth.bgBb, cell, 7),
    players: cell.players,
    positives: cell.players - cell.returned7,
  }));
  const spend = origin.payers.map((cell) => ({
    predicted: mbgNbdAnyPurchase(truth.mbgNbd, cell, 7),
    players: cell.players,
    positives: cell.spent7,
  }));
  return [
    { model: 'activity', name: 'churn', cells: churn },
    { model: 'purchases', name: 'spend of payers', cells: spend },
  ]
    .filter(({ model }) => compared.includes(model))
    .map(({ model, name, cells }) => ({
      name,
      model: gradeModel(artefact, model, origin),
      truth: measureProbabilities(cells),
    }));
}
