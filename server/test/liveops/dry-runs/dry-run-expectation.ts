import { expect } from 'vitest';
import { numberIn, type PlayerFacts } from '../../../src/decide/attributes/player-facts.js';
import { compileDocument } from '../../../src/decide/compile/compile-document.js';
import { decide } from '../../../src/decide/decide/decide.js';
import type { ConfigDocument } from '../../../src/decide/document/document.js';
import type { ModelsInForce } from '../../../src/decide/predict/models-in-force.js';
import type { DryRunResult, LaterEffects } from '../../../src/liveops/dry-runs/dry-run.js';
import type { Effects, PartEffect } from '../../../src/liveops/dry-runs/dry-run-report.js';
import { NOW } from '../../decide/support/fixtures.js';

export type Circumstances = { models?: ModelsInForce; atMs?: number };

/** The slow way: compares what is served to each player under each document. */
export function expectedEffects(
  before: ConfigDocument,
  after: ConfigDocument,
  players: readonly PlayerFacts[],
  { models, atMs = NOW }: Circumstances = {},
) {
  const errors = new Map<string, { before: number; after: number }>();
  const under = (document: ConfigDocument, which: 'before' | 'after') => {
    const prepared = compileDocument(document, { version: 1, publishedAt: 0 });
    // `decide` evaluates past offers only to date the last change, which is not needed here.
    const past = new Set(
      document.offers
        .filter(({ until }) => until !== null && Date.parse(until) <= atMs)
        .map(({ offerId }) => `offer:${offerId}`),
    );
    return players.map((facts) => {
      const onError = (part: string) => {
        if (past.has(part)) return;
        const counted = errors.get(part) ?? { before: 0, after: 0 };
        counted[which]++;
        errors.set(part, counted);
      };
      const { flags, segments } = decide(prepared, facts, atMs, { models, onError });
      const trace = decide(prepared, facts, atMs, { models, trace: true }).trace;
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
      // The studio of the tests has no reporting currency.
      reportedRevenueShare: null,
      examples: {
        enter: enter.slice(0, 5).map(({ userId }) => userId),
        leave: leave.slice(0, 5).map(({ userId }) => userId),
      },
    };
  };
  const skuIds = [...before.catalogue, ...after.catalogue].map(({ skuId }) => skuId);
  const prices = new Map<string, number>();
  const priced = { players: 0, payLess: 0, payMore: 0 };
  for (const [index, old] of olds.entries()) {
    const ways = new Set<string>();
    for (const skuId of new Set(skuIds)) {
      const [from, to] = [old.prices.get(skuId) ?? null, news[index]?.prices.get(skuId) ?? null];
      const [key, isSame] = [
        JSON.stringify({ skuId, from, to }),
        JSON.stringify(from) === JSON.stringify(to),
      ];
      if (isSame) continue;
      prices.set(key, (prices.get(key) ?? 0) + 1);
      ways.add('other');
      if (from?.currency !== to?.currency) continue;
      ways.add(Number(to?.price) < Number(from?.price) ? 'less' : 'more');
    }
    if (ways.has('other')) priced.players++;
    if (ways.has('less')) priced.payLess++;
    if (ways.has('more')) priced.payMore++;
  }
  return { effectOf, errors, prices, priced };
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
  const expected = expectedEffects(before, after, players, models && { models });
  expectListed(result, expected);
  const listed = listedIds(result);
  for (const kind of KINDS) expect(listed[kind]).toEqual(idsOf(kind, before, after));
}

/** The same at a later instant: entries that no player enters or leaves are not listed. */
export function expectLaterEffects(
  later: LaterEffects,
  before: ConfigDocument,
  after: ConfigDocument,
  players: readonly PlayerFacts[],
): void {
  const expected = expectedEffects(before, after, players, { atMs: Date.parse(later.at) });
  expectListed(later, expected);
  const listed = listedIds(later);
  for (const kind of KINDS) {
    const isChanged = (id: string) => {
      const { enter, leave } = expected.effectOf(kind, id).counts;
      return enter + leave > 0;
    };
    expect(listed[kind], `${kind} at ${later.at}`).toEqual(
      new Set([...idsOf(kind, before, after)].filter(isChanged)),
    );
  }
}

const KINDS = ['flags', 'segments', 'offers'] as const;

function listedIds({ flags, segments, offers }: Effects): Record<(typeof KINDS)[number], Set<string>> {
  return {
    flags: new Set(flags.map(({ flagId }) => flagId)),
    segments: new Set(segments.map(({ segmentId }) => segmentId)),
    offers: new Set(offers.map(({ offerId }) => offerId)),
  };
}

function idsOf(kind: (typeof KINDS)[number], ...documents: ConfigDocument[]): Set<string> {
  return new Set(
    documents.flatMap(({ flags, segments, offers }) => {
      if (kind === 'flags') return ['isPayer', ...flags.custom.map(({ flagId }) => flagId)];
      return kind === 'segments'
        ? segments.map(({ segmentId }) => segmentId)
        : offers.map(({ offerId }) => offerId);
    }),
  );
}

function expectListed(effects: Effects, expected: ReturnType<typeof expectedEffects>): void {
  const { effectOf, errors, prices, priced } = expected;
  for (const { flagId, ...effect } of effects.flags)
    expect(effect, flagId).toEqual(effectOf('flags', flagId));
  for (const { segmentId, ...effect } of effects.segments) {
    expect(effect, segmentId).toEqual(effectOf('segments', segmentId));
  }
  for (const { offerId, ...effect } of effects.offers)
    expect(effect, offerId).toEqual(effectOf('offers', offerId));
  const told = effects.prices.map(
    ({ players: n, estimate: _, ...change }) => [JSON.stringify(change), n] as const,
  );
  // Of more changes, those of most players are listed.
  if (prices.size > 200) expect([...prices]).toEqual(expect.arrayContaining(told.map((each) => [...each])));
  else expect(new Map(told)).toEqual(prices);
  expect(effects.priced).toEqual(priced);
  const slow = [...errors].map(([part, counted]) => ({ part, ...counted }));
  expect(new Set(effects.ruleErrors)).toEqual(new Set(slow));
}
