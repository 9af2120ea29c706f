import { describe, expect, it } from 'vitest';
import type { SegmentStay } from '../../../src/decide/attributes/player-facts.js';
import { BLANK_HISTORY, daysText, predictionFacts } from '../../../src/decide/attributes/player-history.js';
import { decide } from '../../../src/decide/decide/decide.js';
import type { ModelName } from '../../../src/decide/predict/artefact.js';
import { logOddsOf } from '../../../src/decide/predict/logistic.js';
import { score } from '../../../src/decide/predict/score.js';
import { shiftedChurn, trainedArtefact } from '../../support/prediction-models.js';
import { compiled, DAY_MS, facts, NOW, PUBLISHED_AT, segment, TODAY } from '../support/fixtures.js';

/** Two thresholds, as a pure function: what was before is a fact about the player. */

const artefact = trainedArtefact();
const player = facts({
  createdAt: (TODAY - 20) * DAY_MS,
  lastEventAt: (TODAY - 19) * DAY_MS,
  eventCount: 2,
  history: { ...BLANK_HISTORY, firstDay: TODAY - 20, activeDays: daysText([[TODAY - 20, TODAY - 18]]) },
});
const { value: usual } = score(predictionFacts(player), artefact, TODAY).churn;

/** Models that say this of the player. */
const saying = (churn: number, distrusted: ModelName[] = []) => ({
  artefact: shiftedChurn(artefact, logOddsOf(churn) - logOddsOf(usual)),
  distrusted: new Set(distrusted),
  since: PUBLISHED_AT,
});
const thresholds = { prediction: 'churn' as const, enterAbove: 0.7, leaveBelow: 0.5 };
const KEY = 'churn > 0.7, < 0.5';
const document = (rule = 'true', changed: Partial<typeof thresholds> = {}) =>
  compiled({ segments: [segment('leaving', rule, { thresholds: { ...thresholds, ...changed } })] });
const stay: SegmentStay = { segmentId: 'leaving', thresholds: KEY, enteredAt: NOW - DAY_MS, value: 0.8 };

function decided(models: ReturnType<typeof saying>, stays: SegmentStay[], under = document()) {
  const { segments, stayChanges } = decide(under, { ...player, stays }, NOW, { models });
  return { isIn: segments.length === 1, stayChanges };
}
const entered = (value: number) => [{ segmentId: 'leaving', thresholds: KEY, isInside: true, value }];
const left = (value: number) => [{ segmentId: 'leaving', thresholds: KEY, isInside: false, value }];

describe('a segment with two thresholds', () => {
  it('is entered above the upper one', () => {
    expect(decided(saying(0.6), [])).toEqual({ isIn: false, stayChanges: [] });
    expect(decided(saying(0.7), [])).toEqual({ isIn: false, stayChanges: [] });
    expect(decided(saying(0.71), [])).toEqual({ isIn: true, stayChanges: entered(0.71) });
  });

  it('is left below the lower one', () => {
    expect(decided(saying(0.6), [stay])).toEqual({ isIn: true, stayChanges: [] });
    expect(decided(saying(0.5), [stay])).toEqual({ isIn: true, stayChanges: [] });
    expect(decided(saying(0.49), [stay])).toEqual({ isIn: false, stayChanges: left(0.49) });
  });

  it('gives the same for the same, as often as it is asked', () => {
    const models = saying(0.8);
    expect(decided(models, [])).toEqual(decided(models, []));
  });

  it('is left when the rule is no longer true, and is not entered before it is', () => {
    const under = document('eventCount.total > 5');
    expect(decided(saying(0.8), [], under)).toEqual({ isIn: false, stayChanges: [] });
    expect(decided(saying(0.8), [stay], under)).toEqual({ isIn: false, stayChanges: left(0.8) });
    expect(decided(saying(0.8), [], document('eventCount.total == 2')).isIn).toBe(true);
  });

  it('knows nothing of a stay under other thresholds, or in another segment', () => {
    expect(decided(saying(0.6), [stay], document('true', { enterAbove: 0.75 })).isIn).toBe(false);
    expect(decided(saying(0.6), [{ ...stay, segmentId: 'other' }]).isIn).toBe(false);
  });

  it('has nobody inside while the model is not trusted, and remembers who was', () => {
    expect(decided(saying(0.8, ['activity']), [])).toEqual({ isIn: false, stayChanges: [] });
    expect(decided(saying(0.6, ['activity']), [stay])).toEqual({ isIn: false, stayChanges: [] });
    const off = { ...document(), predictionsOff: new Set(['churn' as const]) };
    expect(decided(saying(0.6), [stay], off)).toEqual({ isIn: false, stayChanges: [] });
  });

  it('neither begins nor ends a stay where its rule fails', () => {
    const under = document('1 / purchases.total > 0');
    expect(decided(saying(0.8), [stay], under)).toEqual({ isIn: false, stayChanges: [] });
  });

  it('can be asked for by other rules', () => {
    const both = [segment('leaving', 'true', { thresholds }), segment('staying', '!segment("leaving")')];
    const names = (stays: SegmentStay[]) =>
      decide(compiled({ segments: both }), { ...player, stays }, NOW, { models: saying(0.6) }).segments.map(
        ({ segmentId }) => segmentId,
      );
    expect(names([])).toEqual(['staying']);
    expect(names([stay])).toEqual(['leaving']);
  });

  it('changes at midnight, like every rule on a prediction', () => {
    const decision = decide(document(), player, NOW, { models: saying(0.6) });
    expect(decision.validUntil).toBe((TODAY + 1) * DAY_MS);
    expect(document().usesPredictions).toBe(true);
  });

  it('says in the trace which rule was asked, what it read, and since when the player is inside', () => {
    const traced = (stays: SegmentStay[]) =>
      decide(document('eventCount.total > 0'), { ...player, stays }, NOW, {
        models: saying(0.6),
        trace: true,
      }).trace?.segments;
    expect(traced([])).toMatchObject([
      {
        member: false,
        rule: {
          expression:
            '(eventCount.total > 0) && predictions.churn.state == "ready" && predictions.churn.value > 0.7',
          values: {
            'eventCount.total': 2,
            'predictions.churn.state': 'ready',
            'predictions.churn.value': 0.6,
          },
        },
        stay: null,
      },
    ]);
    expect(traced([stay])).toMatchObject([
      {
        member: true,
        rule: { expression: expect.stringContaining('predictions.churn.value >= 0.5') },
        stay: { enteredAt: new Date(NOW - DAY_MS).toISOString(), value: 0.8 },
      },
    ]);
  });
});
