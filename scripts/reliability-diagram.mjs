// `npm run diagram` writes docs/reliability.svg: what was predicted of the players of a simulated game, and what they did in two
// weeks that the model had not seen. The same seed gives the same diagram.
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gradeModel } from '../server/dist/decide/predict/grade.js';
import { train } from '../server/dist/decide/predict/train.js';
import { simulateOrigins } from './simulated-training.mjs';

const GAME = { seed: 13, players: 20_000, days: 90, weeks: 11 };
const HELD_OUT_WEEKS = 2;

const origins = simulateOrigins(GAME);
const known = origins.slice(0, -HELD_OUT_WEEKS);
// The last outcomes that training sees are those of the week after its last origin.
const { artefact, report } = train({ day: known.at(-1).day + 7, currency: null, origins: known }, 1, null);
if (artefact.models.activity.state !== 'ready') throw new Error(JSON.stringify(report));
const grades = origins.slice(-HELD_OUT_WEEKS).map((origin) => gradeModel(artefact, 'activity', origin));
const file = fileURLToPath(new URL('../docs/reliability.svg', import.meta.url));
await writeFile(file, drawing(grades));
for (const { players, auc, ece, eceOfChance } of grades) {
  console.log(
    `${players} players, AUC ${auc.toFixed(3)}, calibration error ${ece.toFixed(4)} (chance ${eceOfChance.toFixed(4)})`,
  );
}
console.log('Wrote docs/reliability.svg');

/** One point for each tenth of the players, with the range in which 95 of 100 such points of a perfect model lie. */
function drawing(weeks) {
  const [size, left, top] = [360, 56, 24];
  const x = (share) => (left + size * share).toFixed(1);
  const y = (share) => (top + size * (1 - share)).toFixed(1);
  const ticks = [0, 0.2, 0.4, 0.6, 0.8, 1];
  const colours = ['#1f6feb', '#c2410c'];
  const points = weeks.flatMap(({ deciles }, week) =>
    deciles.map(({ players, predicted, observed }) => {
      const error = 1.96 * Math.sqrt((predicted * (1 - predicted)) / players);
      const [low, high] = [Math.max(0, predicted - error), Math.min(1, predicted + error)];
      return [
        `<line x1="${x(predicted)}" y1="${y(low)}" x2="${x(predicted)}" y2="${y(high)}" stroke="${colours[week]}" stroke-opacity=".35" stroke-width="5"/>`,
        `<circle cx="${x(predicted)}" cy="${y(observed)}" r="4" fill="${colours[week]}"/>`,
      ].join('');
    }),
  );
  const axes = ticks.flatMap((share) => [
    `<line x1="${x(share)}" y1="${y(0)}" x2="${x(share)}" y2="${y(1)}" stroke="#d0d7de"/>`,
    `<line x1="${x(0)}" y1="${y(share)}" x2="${x(1)}" y2="${y(share)}" stroke="#d0d7de"/>`,
    `<text x="${x(share)}" y="${top + size + 18}" text-anchor="middle">${100 * share}%</text>`,
    `<text x="${left - 8}" y="${Number(y(share)) + 4}" text-anchor="end">${100 * share}%</text>`,
  ]);
  const legend = weeks.map(
    ({ players, ece }, week) =>
      `<circle cx="${left + 14}" cy="${top + size + 64 + 20 * week}" r="4" fill="${colours[week]}"/><text x="${left + 26}" y="${top + size + 68 + 20 * week}">week ${week + 1}: ${players.toLocaleString('en-US')} players, calibration error ${(100 * ece).toFixed(1)} points</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + size + 24}" height="${top + size + 104}" font-family="sans-serif" font-size="12" fill="#1f2328" role="img" aria-label="Churn as predicted and as observed, by tenths of the players: the points lie on the diagonal">`,
    '<rect width="100%" height="100%" fill="#ffffff"/>',
    ...axes,
    `<line x1="${x(0)}" y1="${y(0)}" x2="${x(1)}" y2="${y(1)}" stroke="#57606a" stroke-dasharray="4 4"/>`,
    ...points,
    ...legend,
    `<text x="${left + size / 2}" y="${top + size + 42}" text-anchor="middle">predicted: will not return within 7 days</text>`,
    `<text transform="translate(14 ${top + size / 2}) rotate(-90)" text-anchor="middle">observed</text>`,
    '</svg>',
    '',
  ].join('\n');
}
