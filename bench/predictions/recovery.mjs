import { nbdLogLikelihood } from '../../server/dist/personalisation/predict/beta-geometric-nbd.js';
import { bgBbAnyActivity, bgBbLogLikelihood } from '../../server/dist/personalisation/predict/bg-bb.js';
import { isPresent } from '../../server/dist/personalisation/predict/features.js';
import { gammaGammaLogLikelihood } from '../../server/dist/personalisation/predict/gamma-gamma.js';
import { gradeModel } from '../../server/dist/personalisation/predict/grade.js';
import { mbgNbdAnyPurchase } from '../../server/dist/personalisation/predict/mbg-nbd.js';
import { measureProbabilities } from '../../server/dist/personalisation/predict/metrics.js';
import { solvePositive } from '../../server/dist/personalisation/predict/solve-positive.js';
import { TRUTH } from './simulated-players.mjs';

const STEP = 1e-3;
/** MBG/NBD: a player may leave after the first purchase already. */
const MBG = 1;

/** What twice the difference of log-likelihoods exceeds by chance in one of a thousand cases, by the number of parameters. */
const CHI_SQUARE = { 3: 16.27, 4: 18.47 };

/**
 * How far the parameters that were found are from those that players were simulated with: each in standard errors, and all of a model
 * together by how much better they explain what happened than the true ones. Standard errors mislead where quite different parameters
 * explain it equally well, such as the a and b of payers who are not watched for long; the comparison of likelihoods does not.
 * `fitted` is the origin that counts were fitted at, `newest` that of the values.
 */
export function recovered({ models: { activity, purchases } }, fitted, newest) {
  const values = newest.payers.filter(({ x, meanValue }) => x > 0 && meanValue > 0);
  const payers = grouped(fitted.payers, ['x', 'tx', 't']);
  const activityCells = grouped(fitted.activity, ['n', 'x', 'tx']);
  return [
    distances('BG/BB', activity.bgBb, TRUTH.bgBb, bgBbLogLikelihood(activityCells)),
    distances('MBG/NBD', purchases.mbgNbd, TRUTH.mbgNbd, (found) => nbdLogLikelihood(payers, found, MBG)),
    ...(purchases.value?.kind === 'gamma_gamma'
      ? [
          distances('Gamma-Gamma', purchases.value, TRUTH.gammaGamma, (found) =>
            gammaGammaLogLikelihood(values, found),
          ),
        ]
      : []),
  ];
}

function distances(model, found, truth, logLikelihood) {
  const names = Object.keys(truth);
  const read = (numbers) => Object.fromEntries(names.map((name, index) => [name, numbers[index]]));
  const errors = standardErrors(
    (numbers) => logLikelihood(read(numbers)),
    names.map((name) => found[name]),
  );
  const parameters = names.map((name, index) => ({
    name: `${model} ${name}`,
    found: found[name],
    truth: truth[name],
    standardErrors: Math.log(found[name] / truth[name]) / errors[index],
  }));
  const gain = 2 * (logLikelihood(found) - logLikelihood(truth));
  return { model, parameters, gain, chance: CHI_SQUARE[names.length] };
}

/** Standard errors of the logarithms of the parameters, from the curvature of the likelihood. */
function standardErrors(logLikelihood, parameters) {
  const logs = parameters.map(Math.log);
  const at = (...moves) => {
    const moved = [...logs];
    for (const [index, step] of moves) moved[index] += step;
    return logLikelihood(moved.map(Math.exp));
  };
  const information = logs.map((_, i) =>
    logs.map((__, j) => {
      const mixed = (one, other) => at([i, one * STEP], [j, other * STEP]);
      return -(mixed(1, 1) - mixed(1, -1) - mixed(-1, 1) + mixed(-1, -1)) / (4 * STEP * STEP);
    }),
  );
  return logs.map((_, i) =>
    Math.sqrt(
      solvePositive(
        information,
        logs.map((__, j) => (i === j ? 1 : 0)),
      )[i],
    ),
  );
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
export function heldOut(artefact, origin) {
  const churn = origin.activity.filter(isPresent).map((cell) => ({
    predicted: 1 - bgBbAnyActivity(TRUTH.bgBb, cell, 7),
    players: cell.players,
    positives: cell.players - cell.returned7,
  }));
  const spend = origin.payers.map((cell) => ({
    predicted: mbgNbdAnyPurchase(TRUTH.mbgNbd, cell, 7),
    players: cell.players,
    positives: cell.spent7,
  }));
  return [
    {
      name: 'churn',
      model: gradeModel(artefact, 'activity', origin),
      truth: measureProbabilities(churn),
    },
    {
      name: 'spend of payers',
      model: gradeModel(artefact, 'purchases', origin),
      truth: measureProbabilities(spend),
    },
  ];
}
