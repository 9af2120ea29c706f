// npm run bench -- returning-players [--games 200] [--seed 1]
// The hold-out of the store, where offers bring players back: counted by who played since the start, and by who was known. Through the function of the report.
// Prints a table of docs/experiments.md, and fails if the second way is not right.
import { parseArgs } from 'node:util';
import { bucketOfValue } from '@savepoint/statistics';
import { compareGroups } from '../server/dist/experiments/holdouts/comparison.js';
import { addValue, amountOf, emptyArm, randomOf } from './experiments/simulated-arms.mjs';

const { values } = parseArgs({
  options: { games: { type: 'string', default: '200' }, seed: { type: 'string', default: '1' } },
});
const [games, seed] = [Number(values.games), Number(values.seed)];
const PERCENT = 10;
const KNOWN = 40_000;
/** Of the known players. The others have stopped, and some of them come back by themselves. */
const PLAYING = 0.3;
const BACK_ALONE = 0.02;
const PAYING = 0.08;

/** `brought`: the share of those who have stopped whom offers bring back. `buying`: the share of these who buy something. */
const GAMES = [
  ['offers bring nobody back', { brought: 0, buying: 0 }],
  ['3% of those who stopped, who buy nothing', { brought: 0.03, buying: 0 }],
  ['3% of those who stopped, who buy as others do', { brought: 0.03, buying: PAYING }],
  ['6% of those who stopped, who buy half as often', { brought: 0.06, buying: PAYING / 2 }],
];

/** A player in the game: who is there, and what is bought. */
function play(random, { brought, buying }) {
  const [played, known] = [0, 1].map(() => [emptyArm(), emptyArm()]);
  for (let player = 0; player < KNOWN; player += 1) {
    const at = random() < PERCENT / 100 ? 0 : 1;
    const isPlaying = random() < PLAYING || random() < BACK_ALONE;
    const isBrought = !isPlaying && at === 1 && random() < brought;
    known[at].players += 1;
    if (!isPlaying && !isBrought) continue;
    played[at].players += 1;
    if (random() >= (isBrought ? buying : PAYING)) continue;
    const amount = amountOf(random);
    for (const groups of [played, known]) addValue(groups[at], amount, bucketOfValue);
  }
  return { played, known };
}

function compared(groups) {
  const [heldOut, targeted] = groups.map(({ players, payers, histogram }) => ({
    ...{ players, payers },
    spent: { USD: { payers, sum: 0, squares: 0, values: histogram } },
  }));
  return compareGroups({ counts: 'known', heldOut, targeted }, PERCENT);
}

const percent = (share) => `${(100 * share).toFixed(1)}%`;
const row = (...cells) => console.log(`| ${cells.join(' | ')} |`);
const broken = [];

console.log(`\nAn offer brings players back: ${games} games of ${KNOWN} players, ${PERCENT}% held out\n`);
row(
  'offers bring back',
  'change of conversion in truth',
  'measured, by who played',
  'no result: sample ratio',
  'measured, by who was known',
  'truth covered',
);
row('---', '---', '---', '---', '---', '---');
for (const [name, game] of GAMES) {
  const [alone, stopped] = [PLAYING + (1 - PLAYING) * BACK_ALONE, (1 - PLAYING) * (1 - BACK_ALONE)];
  const truth = stopped * game.brought * game.buying;
  const base = alone * PAYING;
  const total = { played: 0, known: 0, mismatch: 0, covered: 0 };
  for (let at = 0; at < games; at += 1) {
    const { played, known } = play(randomOf(seed * 1_000_003 + at), game);
    const [byPlayed, byKnown] = [compared(played), compared(known)];
    total.played += relative(byPlayed) / games;
    total.known += relative(byKnown) / games;
    total.mismatch += Number(byPlayed.sampleRatio.isMismatch) / games;
    const { low, high } = byKnown.conversion.interval;
    total.covered += Number(low <= truth && truth <= high) / games;
  }
  row(
    name,
    percent(truth / base),
    percent(total.played),
    percent(total.mismatch),
    percent(total.known),
    percent(total.covered),
  );
  if (Math.abs(total.known - truth / base) > 0.03) broken.push(`${name}: measured as it is`);
  if (total.covered < 0.95) broken.push(`${name}: 95% covered`);
}

/** Of the conversion of who is held out. */
function relative({ heldOut, targeted }) {
  return targeted.payers / targeted.players / (heldOut.payers / heldOut.players) - 1;
}

if (broken.length > 0) {
  console.error(`\nNot kept:\n${broken.join('\n')}`);
  process.exitCode = 1;
}
