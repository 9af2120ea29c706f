// The plain logistic regression that the models are compared with: raw counts of activity and purchases, without a prior.
import { FEATURES, isPresent } from '../../server/dist/decide/predict/features.js';
import { fitLogistic, logisticLogOdds, probabilityOf } from '../../server/dist/decide/predict/logistic.js';

/** An analyst would take the last weeks whose outcome is known, as a training does. */
const WEEKS = 5;

/** Raw numbers: what an analyst would put into a regression first. */
const PLAIN = FEATURES.filter(({ name }) => name !== 'returnLogOdds');
const plainFeatures = (cell) => PLAIN.map(({ of }) => of(cell));
export const PLAIN_CELLS = {
  activity: ({ activity }) =>
    activity
      .filter(isPresent)
      .map((cell) => labelled(cell, plainFeatures(cell), cell.players - cell.returned7)),
  conversion: ({ activity }) =>
    activity
      .filter(({ isPayer }) => !isPayer)
      .map((cell) => labelled(cell, plainFeatures(cell), cell.spent7)),
  purchases: ({ buyers }) =>
    buyers.map((cell) => {
      const { x, tx, t } = cell.history;
      const purchases = [Math.log1p(x), Math.log1p(t - tx), Math.log1p(t)];
      return labelled(cell, [...plainFeatures(cell.activity), ...purchases], cell.spent7);
    }),
};

/** What the regression says of an origin, or undefined where it cannot be fitted. */
export function fitPlain(known, name) {
  const model = fitLogistic(known.slice(-WEEKS).flatMap(PLAIN_CELLS[name]));
  if (model === undefined) return undefined;
  return (origin) =>
    PLAIN_CELLS[name](origin).map((cell) => ({
      ...cell,
      predicted: probabilityOf(logisticLogOdds(model, cell.features)),
    }));
}

function labelled({ players }, features, positives) {
  return { players, features, positives };
}
