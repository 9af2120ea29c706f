import { expect, it } from 'vitest';
import type { CompiledDocument } from '../../../src/decide/compile/compiled-document.js';
import { UNTRAINED_MODELS } from '../../../src/decide/predict/models-in-force.js';
import { DryRunReport } from '../../../src/liveops/dry-runs/dry-run-report.js';
import { compareDocuments } from '../../../src/liveops/dry-runs/unchanged-parts.js';
import { evaluateWithAttributes } from '../../../src/liveops/evaluations/evaluate-player.js';
import { factNeeds } from '../../../src/liveops/evaluations/fact-needs.js';
import { compiled, facts, NOW, offer, payer, segment, sku, value } from '../../decide/support/fixtures.js';

it('evaluates only changed parts under the old document', () => {
  const rules = [segment('a', 'country == "DE"'), segment('b', 'segment("a")'), segment('c', 'segment("b")')];
  const before = compiled({
    segments: [...rules, segment('d', 'os == ""')],
    catalogue: [sku('gems')],
    offers: [offer('o', { when: 'segment("c")' }), offer('p')],
  });
  expect([...compareDocuments(before, before).unchanged].sort()).toEqual([
    'flag:isPayer',
    'offer:o',
    'offer:p',
    'segment:a',
    'segment:b',
    'segment:c',
    'segment:d',
  ]);
  expect(compareDocuments(before, before).rest).toMatchObject({ flagsAndSegments: [], offers: [] });
  // c depends on b, which changes; b needs a, which does not.
  const { unchanged, rest } = compareDocuments(
    before,
    compiled({
      segments: [
        segment('a', 'country == "DE"'),
        segment('b', '!segment("a")'),
        segment('c', 'segment("b")'),
      ],
      catalogue: [sku('gems')],
      offers: [offer('o', { when: 'segment("c")' }), offer('p', { effect: { visibility: 'hide' } })],
    }),
  );
  expect([...unchanged].sort()).toEqual(['flag:isPayer', 'offer:p', 'segment:a']);
  expect(rest.offers.map(({ offerId }) => offerId)).toEqual(['o']);
  expect(
    rest.flagsAndSegments
      .map((node) => (node.kind === 'segment' ? node.listed.segmentId : node.flagId))
      .sort(),
  ).toEqual(['a', 'b', 'c', 'd']);
});

it('a segment counts as changed if only its lower threshold changes', () => {
  const leaving = (leaveBelow: number) =>
    compiled({
      segments: [
        segment('leaving', 'true', { thresholds: { prediction: 'churn', enterAbove: 0.7, leaveBelow } }),
      ],
    });
  const unchanged = (after: number) => [...compareDocuments(leaving(0.5), leaving(after)).unchanged].sort();
  expect(unchanged(0.5)).toEqual(['flag:isPayer', 'segment:leaving']);
  expect(unchanged(0.4)).toEqual(['flag:isPayer']);
  expect(factNeeds([leaving(0.5)])).toMatchObject({ history: true, stays: true });
});

it('reads only the facts that rules use', () => {
  const none = factNeeds([
    compiled({ segments: [segment('all', 'true'), segment('payer', 'flags.isPayer')] }),
  ]);
  expect(none).toMatchObject({
    createdAt: false,
    stays: false,
    lastEventAt: false,
    eventCount: false,
    windows: [],
  });
  const some = factNeeds([
    compiled({
      segments: [
        segment('a', 'activeDays.last7d > 2 && eventCount.last28d > 1'),
        segment('b', 'events["Win"].last7d > 0 || os == "iOS" || storeViews.total > 1'),
      ],
    }),
  ]);
  expect(some.windows).toEqual([
    { source: 'events', key: null, last7d: true, last28d: true },
    { source: 'eventCounts', key: 'Win', last7d: true, last28d: false },
  ]);
  expect([...some.profile]).toEqual(['osName']);
  expect([...some.eventTypes]).toEqual(['Store_View']);
});

it('counts the players of each outcome of a value', () => {
  const jump = (payersGet: number) =>
    value('jump', {
      defaultValue: 3,
      rules: [{ when: 'flags.isPayer', sharePercent: 100, value: payersGet }],
    });
  const other = value('other', { rules: [{ when: 'country == "DE"', sharePercent: 100, value: 2 }] });
  const before = compiled({ values: [jump(4), other] });
  const after = compiled({ values: [jump(5), other, value('new', { type: 'string', defaultValue: 'x' })] });
  const { unchanged, rest } = compareDocuments(before, after);
  expect([...unchanged].sort()).toEqual(['flag:isPayer', 'value:other = 1', 'value:other = 2']);
  expect(rest.values.map(({ key }) => key)).toEqual(['jump']);
  expect([...factNeeds([rest]).profile]).toEqual([]);
  expect([...factNeeds([after]).profile]).toEqual(['country']);

  const report = new DryRunReport(before, after, unchanged, NOW);
  for (const player of [facts(), payer(), payer()]) {
    const evaluate = (document: CompiledDocument) =>
      evaluateWithAttributes(document, player, NOW, UNTRAINED_MODELS, () => {}).evaluation;
    report.add(player, evaluate(rest), evaluate(after));
  }
  const counts = (enter: number, leave: number, stay: number) =>
    expect.objectContaining({ before: leave + stay, after: enter + stay, enter, leave, stay });
  expect(report.effects(1).values).toMatchObject([
    { outcome: 'jump = 3', counts: counts(0, 0, 1) },
    { outcome: 'jump = 5', counts: counts(2, 0, 0) },
    { outcome: 'other = 1', counts: counts(0, 0, 3) },
    { outcome: 'other = 2', counts: counts(0, 0, 0) },
    { outcome: 'new = "x"', counts: counts(3, 0, 0) },
    { outcome: 'jump = 4', counts: counts(0, 2, 0) },
  ]);
});
