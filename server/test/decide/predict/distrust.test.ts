import { describe, expect, it } from 'vitest';
import type { GradedName } from '../../../src/decide/predict/artefact.js';
import { distrustedAfterGrading } from '../../../src/decide/predict/distrust.js';
import type { Health } from '../../../src/decide/predict/grade.js';
import type { PredictionGrade } from '../../../src/decide/predict/grade-predictions.js';

const REVENUE = 'purchases.revenue';

function grades(health: Partial<Record<GradedName, Health>>): PredictionGrade[] {
  const total = { players: 1, predicted: 1, observed: 1, totalRatio: 1, cappedRatio: 1, medianRatio: 1 };
  return Object.entries(health).map(([model, is]) => ({
    model: model as GradedName,
    health: is,
    metrics: { ...total, deviations: 0, deciles: [] },
  }));
}

describe('what is not trusted after a night', () => {
  it('is what was wrong, and what was not graded stays as it was', () => {
    expect(
      distrustedAfterGrading(['conversion'], grades({ activity: 'green', purchases: 'red' }), []),
    ).toEqual(['purchases', 'conversion']);
  });

  it('returns when the model in force and that of a week ago are right', () => {
    for (const name of ['activity', REVENUE] as const) {
      const after = (now: Health, weekAgo: Partial<Record<GradedName, Health>>) =>
        distrustedAfterGrading([name], grades({ [name]: now }), grades(weekAgo));
      expect(after('green', { [name]: 'green' })).toEqual([]);
      // A new model, which has not met a week.
      expect(after('green', { [name]: 'red' })).toEqual([name]);
      expect(after('green', {})).toEqual([name]);
      expect(after('red', { [name]: 'green' })).toEqual([name]);
    }
  });

  it('is every model while that of activity is wrong', () => {
    const all: GradedName[] = ['activity', 'purchases', 'conversion'];
    const bad = grades({ activity: 'red', purchases: 'green', conversion: 'green', [REVENUE]: 'green' });
    const right = grades({ activity: 'green', purchases: 'green', conversion: 'green' });
    expect(distrustedAfterGrading([], bad, [])).toEqual(all);
    expect(distrustedAfterGrading(all, bad, right)).toEqual(all);
    // They return with it, if they are right by themselves.
    expect(distrustedAfterGrading(all, right, right)).toEqual([]);
    expect(distrustedAfterGrading(all, right, grades({ activity: 'green', conversion: 'green' }))).toEqual([
      'purchases',
    ]);
    // Where there is no model, nothing was said.
    expect(distrustedAfterGrading([], grades({ activity: 'red' }), [])).toEqual(['activity']);
  });

  it('is also what a training has withdrawn, if what was told a week ago was wrong', () => {
    expect(distrustedAfterGrading([], [], grades({ purchases: 'red' }))).toEqual(['purchases']);
    expect(distrustedAfterGrading([], [], grades({ purchases: 'green' }))).toEqual([]);
    // It does not return without a model that is right.
    expect(distrustedAfterGrading(['purchases'], [], grades({ purchases: 'green' }))).toEqual(['purchases']);
  });

  it('does not ask for the week before where nothing was wrong', () => {
    expect(distrustedAfterGrading([], grades({ activity: 'green' }), grades({ activity: 'red' }))).toEqual(
      [],
    );
  });
});
