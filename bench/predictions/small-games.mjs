// How well small games are predicted: the models of a training beside a plain logistic regression on the same days, in two weeks that
// neither has seen. Needs `npm run build`. `node bench/predictions/small-games.mjs [players…]` prints the table of docs/predictions.md.
import { simulateOrigins } from '../../scripts/simulated-training.mjs';
import { gradeModel } from '../../server/dist/decide/predict/grade.js';
import { measureProbabilities } from '../../server/dist/decide/predict/metrics.js';
import { train } from '../../server/dist/decide/predict/train.js';
import { fitPlain, PLAIN_CELLS } from './plain-regression.mjs';

const SIZES = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [300, 2_000, 10_000];
/** Fewer games where each has more players: chance is the same for all sizes. */
const GAMES = { 300: 20, 2000: 8, 10000: 4 };
const GAME = { days: 80, weeks: 10 };
const HELD_OUT_WEEKS = 2;
const MODELS = ['activity', 'conversion', 'purchases'];

for (const players of SIZES) {
  const found = Object.fromEntries(MODELS.map((name) => [name, []]));
  for (let game = 0; game < (GAMES[players] ?? 4); game++) {
    const origins = simulateOrigins({ seed: 50 + game, players, ...GAME });
    const known = origins.slice(0, -HELD_OUT_WEEKS);
    const { artefact, report } = train(
      { day: known.at(-1).day + 7, currency: 'USD', origins: known },
      1,
      null,
    );
    for (const name of MODELS) {
      const { outcome, source } = report.find(({ model }) => model === name);
      const plain = fitPlain(known, name);
      for (const origin of origins.slice(-HELD_OUT_WEEKS)) {
        const cells = PLAIN_CELLS[name](origin);
        const own = gradeModel(artefact, name, origin);
        found[name].push({
          outcome,
          source,
          own,
          plain: plain && measureProbabilities(plain(origin)),
          average: measureProbabilities(
            cells.map((cell) => ({ ...cell, predicted: averageOf(artefact, name) })),
          ),
        });
      }
    }
  }
  for (const name of MODELS) console.log(lineOf(players, name, found[name]));
}

function averageOf({ baseRates: { churn, payers, nonPayers } }, name) {
  return { activity: churn, purchases: payers.spend, conversion: nonPayers.spend }[name];
}

function lineOf(players, name, weeks) {
  const promoted = weeks.filter(({ outcome }) => outcome === 'promoted');
  const both = promoted.filter(({ own, plain }) => own?.auc != null && plain?.auc != null);
  const mean = (list, of) =>
    list.length === 0 ? Number.NaN : list.reduce((sum, each) => sum + of(each), 0) / list.length;
  const of = (who, what, digits) => mean(both, (week) => week[who][what]).toFixed(digits);
  const share = mean(promoted, ({ source }) => source.ownShare).toFixed(2);
  return [
    `| ${players.toLocaleString('en-US')} | \`${name}\` | ${promoted.length} of ${weeks.length} | ${share}`,
    `${of('own', 'auc', 3)} | ${of('plain', 'auc', 3)} | ${of('own', 'ece', 3)} (${of('own', 'eceOfChance', 3)}) | ${of('plain', 'ece', 3)}`,
    `${of('own', 'logLoss', 4)} | ${of('plain', 'logLoss', 4)} | ${of('average', 'logLoss', 4)} |`,
  ].join(' | ');
}
