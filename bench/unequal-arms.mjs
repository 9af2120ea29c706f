// npm run bench -- unequal-arms [--games 200] [--days 100] [--seed 1]
// How often revenue is proven where one arm is small, without an effect and with one, in games with large spenders: by each arm's own error and by the
// error that reports take. Through the functions of the reports, with a look on each day. Prints tables of docs/experiments.md, and fails if a promise is not kept.
import { parseArgs } from 'node:util';
import { absoluteEffect, bucketOfValue, sequenceP } from '@savepoint/statistics';
import { compareGroups } from '../server/dist/experiments/holdouts/comparison.js';
import { compareFamily } from '../server/dist/experiments/report/compare-arms.js';
import { playGame, WITH_EFFECT, WITHOUT_EFFECT } from './experiments/unequal-games.mjs';
import { estimatesOf } from './experiments/verdicts.mjs';

const { values } = parseArgs({
  options: {
    games: { type: 'string', default: '200' },
    days: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
  },
});
const [games, days, seed] = [Number(values.games), Number(values.days), Number(values.seed)];
const broken = [];

const REVENUE = { kind: 'sum', sum: { of: 'revenue', currency: 'USD' } };
/** Without a plan, as hold-outs are. */
const TUNED_TO = 10_000;

const sumsOf = ({ players, payers, histogram }) => ({
  fresh: { zeros: { ...zeros(), n: players - payers }, values: histogram },
  known: { zeros: zeros(), values: {} },
});
const zeros = () => ({ n: 0, sum: 0, squares: 0, otherSum: 0, otherSquares: 0, products: 0 });

/** As reports decided before: each arm's own error. */
function isProvenByOwnErrors(arms) {
  if (arms.some(({ players, payers }) => players < 100 || payers < 30)) return false;
  return sequenceP(absoluteEffect(...estimatesOf(arms, 'capped')), { tunedTo: TUNED_TO }) < 0.05;
}

function isProven(arms, { share, isHoldout }) {
  return isHoldout ? isProvenForHoldout(arms, share) : isProvenForExperiment(arms, share);
}

function isProvenForExperiment([small, large], share) {
  const family = [{ metric: REVENUE, arms: [sumsOf(large), sumsOf(small)] }];
  const variants = [
    { variantId: 'control', weight: 1 - share },
    { variantId: 'b', weight: share },
  ];
  const [comparison] = compareFamily(family, variants, undefined);
  return isVerdict(comparison.state);
}

function isProvenForHoldout(arms, share) {
  const [heldOut, targeted] = arms.map(({ players, payers, histogram }) => ({
    ...{ players, payers },
    spent: { USD: { payers, sum: 0, squares: 0, values: histogram } },
  }));
  const { revenuePerPlayer } = compareGroups({ counts: 'known', heldOut, targeted }, 100 * share);
  return isVerdict(revenuePerPlayer.USD?.state);
}

const isVerdict = (state) => state === 'higher' || state === 'lower';

/** In how many games a day proved a difference. */
function count(game) {
  const proven = { before: 0, after: 0 };
  for (let at = 0; at < games; at += 1) {
    const seen = { before: false, after: false };
    const onLook = (arms) => {
      // The error of reports is never below this one: what this does not prove they do not.
      if (!isProvenByOwnErrors(arms)) return false;
      seen.before = true;
      seen.after ||= isProven(arms, game);
      return seen.after;
    };
    playGame({ game, seed: seed * 1_000_003 + at, days, bucketOf: bucketOfValue, onLook });
    proven.before += Number(seen.before);
    proven.after += Number(seen.after);
  }
  return proven;
}

const percent = (of) => `${((100 * of) / games).toFixed(1)}%`;
const row = (...cells) => console.log(`| ${cells.join(' | ')} |`);
function table(title, settings, check) {
  console.log(`\n${title}: ${games} games, a look on each of ${days} days\n`);
  row('what is compared', 'by each arm’s own error', 'by the larger of both');
  row('---', '---', '---');
  for (const [name, game] of settings) {
    const proven = count(game);
    row(name, percent(proven.before), percent(proven.after));
    check(name, game, proven);
  }
}

table('Without any effect, revenue ever proven', WITHOUT_EFFECT, (name, _, { after }) => {
  if (after > 0.05 * games) broken.push(`${name}: at most 5% ever proven`);
});
table('With an effect, revenue proven', WITH_EFFECT, (name, { share }, { before, after }) => {
  if (share === 0.5 && after < 0.9 * before) broken.push(`${name}: equal arms lose a tenth at most`);
});

if (broken.length > 0) {
  console.error(`\nNot kept:\n${broken.join('\n')}`);
  process.exitCode = 1;
}
