import { beforeAll, expect, it } from 'vitest';
import type { Artefact } from '../../../src/decide/predict/artefact.js';
import type { ModelReport } from '../../../src/decide/predict/model-report.js';
import { type ComparedModel, comparedModel } from '../../../src/insight/predictions/compared-model.js';
import { trainedArtefact } from '../../support/prediction-models.js';

/** Which model a comparison shows of a training. */

let artefact: Artefact;
let refused: ModelReport;
beforeAll(() => {
  artefact = trainedArtefact();
  const { activity } = artefact.models;
  if (activity.state !== 'ready') throw new Error(activity.reason);
  const [{ originDay, ...metrics }] = activity.origins as [(typeof activity.origins)[number]];
  refused = {
    model: 'activity',
    outcome: 'refused',
    reason: 'it is worse',
    isPresentKept: true,
    origins: [{ ...metrics, originDay: originDay + 70, auc: 0.51 }],
    refusedModel: { ...activity, bgBb: { alpha: 3, beta: 3, gamma: 3, delta: 3 } },
  };
});

const compare = (models: readonly ModelReport[], of: unknown = artefact): ComparedModel =>
  comparedModel({ artefact: of, report: { models, progress: [], cells: 1 } }, 'activity');

it('shows the model of the artefact if it was promoted', () => {
  const { activity } = artefact.models;
  const promoted = { ...refused, outcome: 'promoted', isPresentKept: false } as const;
  expect(compare([promoted])).toMatchObject({ state: 'ready', reason: null, model: activity, kept: null });
  expect(compare([promoted]).newestWeek?.originDay).toBeLessThan(refused.origins[0]?.originDay ?? 0);
});

it('shows the model that was refused, and apart from it the one that was kept', () => {
  expect(compare([refused])).toEqual({
    state: 'refused',
    reason: 'it is worse',
    newestWeek: refused.origins[0],
    model: refused.refusedModel,
    kept: artefact.models.activity,
  });
});

it('shows that there was too little data, and the model that was kept', () => {
  const { refusedModel: _, ...report } = refused;
  const cold = { ...report, outcome: 'cold_start', reason: '9 of 2,000 players', origins: [] } as const;
  expect(compare([cold])).toEqual({
    state: 'cold_start',
    reason: '9 of 2,000 players',
    newestWeek: null,
    model: null,
    kept: artefact.models.activity,
  });
});

it('says that a training cannot be used by this version', () => {
  expect(compare([refused], { ...artefact, featuresHash: 'another' })).toMatchObject({
    state: 'unusable',
    reason: expect.stringContaining('other features'),
    newestWeek: null,
    model: null,
    kept: null,
  });
});
