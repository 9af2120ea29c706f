import { expect, it } from 'vitest';
import { modelLines } from '../../src/cli/model-table.js';
import { train } from '../../src/personalisation/predict/train.js';
import { expectedGame } from '../personalisation/predict/expected-game.js';

const linesOf = (players: number) => {
  const { artefact, report } = train(expectedGame(players, 0, 3), 1, null);
  return modelLines({ models: report, progress: [], cells: 1 }, artefact);
};

it('says what the regression of churn needs more of, while the model is BG/BB alone', () => {
  const [title, parameters, lacks] = linesOf(2_100);
  expect(title).toMatch(/^activity \(churn\): promoted\. /);
  expect(parameters).toMatch(/^ {2}BG\/BB, 2,1\d\d players: alpha /);
  expect(lacks).toMatch(
    /^ {2}active days alone; too little yet to look at other features: \d{3} of 1,000 players who stayed$/,
  );
  const enough = linesOf(20_000);
  expect(enough[1]).toMatch(/^ {2}BG\/BB and logistic regression, /);
  expect(enough.join('\n')).not.toContain('too little yet');
});
