import { expect, it } from 'vitest';
import { train } from '../../../src/decide/predict/train.js';
import { modelLines } from '../../../src/insight/cli/model-table.js';
import { expectedGame } from '../../decide/predict/expected-game.js';

const linesOf = (weeks: number) => {
  const { artefact, report } = train(expectedGame(2_100, 0, weeks), 1, null);
  return modelLines({ models: report, progress: [], cells: 1 }, artefact);
};

it('says whose players a model has learnt from', () => {
  const [title, parameters, source] = linesOf(3);
  expect(title).toMatch(/^activity \(churn\): promoted\. /);
  expect(parameters).toMatch(/^ {2}BG\/BB and logistic regression, 2,1\d\d players: alpha /);
  expect(source).toMatch(/^ {2}learnt from other games and this one, whose players decide \d\d%$/);
  expect(linesOf(2)[2]).toBe('  learnt from other games, adjusted to the rates of this one');
});
