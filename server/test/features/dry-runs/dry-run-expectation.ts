import { expect } from 'vitest';
import type { DryRunResult } from '../../../src/features/dry-runs/dry-run.js';
import type { PartEffect } from '../../../src/features/dry-runs/dry-run-report.js';
import { numberIn, type PlayerFacts } from '../../../src/personalisation/attributes/player-facts.js';
import { compileDocument } from '../../../src/personalisation/compile/compile-document.js';
import { decide } from '../../../src/personalisation/decide/decide.js';
import type { ConfigDocument } from '../../../src/personalisation/document/document.js';
import type { ModelsInForce } from '../../../src/personalisation/predict/models-in-force.js';
import { NOW } from '../../personalisation/support/fixtures.js';

/** The slow way: compares what is served to each player under each document. */
export function expectedEffects(
  before: ConfigDocument,
  after: ConfigDocument,
  players: readonly PlayerFacts[],
  models?: ModelsInForce,
) {
  const errors = new Map<string, { before: number; after: number }>();
  const under = (document: ConfigDocument, which: 'before' | 'after') => {
    const prepared = compileDocument(document, { version: 1, publishedAt: 0 });
    // `decide` evaluates past offers only to date the last change, which is not needed here.
    const past = new Set(
      document.offers
        .filter(({ until }) => until !== null && Date.parse(until) <= NOW)
        .map(({ offerId }) => `offer:${offerId}`),
    );
    return players.map((facts) => {
      const onError = (part: string) => {
        if (past.has(part)) return;
        const counted = errors.get(part) ?? { before: 0, after: 0 };
        counted[which]++;
        errors.set(part, counted);
      };
      const { flags, segments } = decide(prepared, facts, NOW, { models, onError });
      const trace = decide(prepared, facts, NOW, { models, trace: true }).trace;
      const offers = trace?.offers ?? [];
      return {
        prices: new Map(
          trace?.skus
            .filter(({ isShown }) => isShown)
            .map(({ skuId, currency, offerPrice }) => [skuId, { currency, price: offerPrice }]),
        ),
        facts,
        flags: new Set(Object.keys(flags).filter((flagId) => flags[flagId]?.value)),
        segments: new Set(segments.map(({ segmentId }) => segmentId)),
        offers: new Set(offers.filter(({ outcome }) => outcome === 'applies').map(({ offerId }) => offerId)),
      };
    });
  };
  const [olds, news] = [under(before, 'before'), under(after, 'after')];
  const effectOf = (kind: 'flags' | 'segments' | 'offers', id: string): PartEffect => {
    const was = new Set(olds.filter((player) => player[kind].has(id)).map(({ facts }) => facts));
    const is = new Set(news.filter((player) => player[kind].has(id)).map(({ facts }) => facts));
    const enter = [...is].filter((facts) => !was.has(facts));
    const leave = [...was].filter((facts) => !is.has(facts));
    const payers = [...is].filter(({ purchaseCount }) => purchaseCount > 0);
    return {
      counts: {
        before: was.size,
        after: is.size,
        enter: enter.length,
        leave: leave.length,
        stay: is.size - enter.length,
        payers: payers.length,
      },
      estimate: null,
      revenueShare: sharesOf(payers, players),
      examples: {
        enter: enter.slice(0, 5).map(({ userId }) => userId),
        leave: leave.slice(0, 5).map(({ userId }) => userId),
      },
    };
  };
  const skuIds = [...before.catalogue, ...after.catalogue].map(({ skuId }) => skuId);
  const prices = new Map<string, number>();
  for (const [index, old] of olds.entries()) {
    for (const skuId of new Set(skuIds)) {
      const [from, to] = [old.prices.get(skuId) ?? null, news[index]?.prices.get(skuId) ?? null];
      const [key, isSame] = [
        JSON.stringify({ skuId, from, to }),
        JSON.stringify(from) === JSON.stringify(to),
      ];
      if (!isSame) prices.set(key, (prices.get(key) ?? 0) + 1);
    }
  }
  return { effectOf, errors, prices };
}

function sharesOf(payers: readonly PlayerFacts[], players: readonly PlayerFacts[]): Record<string, number> {
  const sum = (of: readonly PlayerFacts[], currency: string) =>
    of.reduce((total, { spend }) => total + numberIn(spend, currency), 0);
  const currencies = new Set(players.flatMap(({ spend }) => Object.keys(spend)));
  return Object.fromEntries(
    [...currencies]
      .filter((currency) => sum(players, currency) > 0)
      .map((currency) => [
        currency,
        Math.round((sum(payers, currency) / sum(players, currency)) * 10_000) / 10_000,
      ]),
  );
}

/** Expects that a dry run of all these players has exactly this result. */
export function expectEffects(
  result: DryRunResult,
  before: ConfigDocument,
  after: ConfigDocument,
  players: readonly PlayerFacts[],
  models?: ModelsInForce,
): void {
  const { effectOf, errors, prices } = expectedEffects(before, after, players, models);
  for (const { flagId, ...effect } of result.flags) expect(effect, flagId).toEqual(effectOf('flags', flagId));
  for (const { segmentId, ...effect } of result.segments) {
    expect(effect, segmentId).toEqual(effectOf('segments', segmentId));
  }
  for (const { offerId, ...effect } of result.offers)
    expect(effect, offerId).toEqual(effectOf('offers', offerId));
  const ids = (document: ConfigDocument) => [
    ...['isPayer', ...document.flags.custom.map(({ flagId }) => flagId)],
    ...document.segments.map(({ segmentId }) => segmentId),
    ...document.offers.map(({ offerId }) => offerId),
  ];
  const reported = [
    ...result.flags.map(({ flagId }) => flagId),
    ...result.segments.map(({ segmentId }) => segmentId),
    ...result.offers.map(({ offerId }) => offerId),
  ];
  expect(new Set(reported)).toEqual(new Set([...ids(before), ...ids(after)]));
  const told = result.prices.map(
    ({ players: n, estimate: _, ...change }) => [JSON.stringify(change), n] as const,
  );
  // Of more changes, those of most players are listed.
  if (prices.size > 200) expect([...prices]).toEqual(expect.arrayContaining(told.map((each) => [...each])));
  else expect(new Map(told)).toEqual(prices);
  const slow = [...errors].map(([part, counted]) => ({ part, ...counted }));
  expect(new Set(result.ruleErrors)).toEqual(new Set(slow));
}
