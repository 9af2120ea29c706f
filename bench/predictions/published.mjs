// How well payers of published data are predicted: `spend` of a training beside a plain logistic regression on the same days, in weeks that neither
// has seen. Needs `npm run build`. `node bench/predictions/published.mjs …/CDNOW_sample.txt` prints the numbers of docs/predictions.md.
import { readFileSync } from 'node:fs';
import { EMPTY, originsOf } from '../../scripts/simulated-training.mjs';
import { gradeModel } from '../../server/dist/decide/predict/grade.js';
import { measureProbabilities } from '../../server/dist/decide/predict/metrics.js';
import { train } from '../../server/dist/decide/predict/train.js';
import { fitPlain } from './plain-regression.mjs';

const DAY_MS = 86_400_000;
const TESTED_WEEKS = 40;
/** As many weeks as a training reads. */
const KNOWN_WEEKS = 12;

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('Give the path of CDNOW_sample.txt.');
const customers = readCustomers(file);
const last = Math.max(...customers.flatMap((days) => days.map(({ day }) => day)));
const weeks = TESTED_WEEKS + KNOWN_WEEKS;
const origins = originsOf(
  customers,
  Array.from({ length: weeks }, (_, week) => last - 7 * (weeks - week)),
);

const found = [];
for (let week = KNOWN_WEEKS; week < weeks; week++) {
  const known = origins.slice(week - KNOWN_WEEKS, week);
  const tested = origins[week];
  const { artefact } = train({ day: tested.day, currency: 'USD', origins: known }, 1, null);
  const own = gradeModel(artefact, 'purchases', tested);
  const plain = fitPlain(known, 'purchases');
  if (own?.auc != null && plain !== undefined) {
    found.push({ own, plain: measureProbabilities(plain(tested)) });
  }
}
const mean = (who, what) => found.reduce((sum, week) => sum + week[who][what], 0) / found.length;
console.log(`${customers.length} customers, ${found.length} of ${TESTED_WEEKS} weeks with a model`);
for (const who of ['own', 'plain']) {
  console.log(
    `${who}: AUC ${mean(who, 'auc').toFixed(3)}, calibration error ${mean(who, 'ece').toFixed(3)} (chance ${mean(who, 'eceOfChance').toFixed(3)}), log-loss ${mean(who, 'logLoss').toFixed(4)}`,
  );
}

/** The days of each customer: to buy is all that they do. */
function readCustomers(path) {
  const byId = new Map();
  for (const line of readFileSync(path, 'utf8').trim().split('\n')) {
    const [, id, date, , price] = line.trim().split(/\s+/);
    const day = Date.parse(`${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`) / DAY_MS;
    const days = byId.get(id) ?? new Map();
    byId.set(id, days);
    const sums = days.get(day) ?? { ...EMPTY, day };
    days.set(day, { ...sums, purchases: sums.purchases + 1, spent: sums.spent + Number(price) });
  }
  return [...byId.values()].map((days) => [...days.values()].sort((one, other) => one.day - other.day));
}
