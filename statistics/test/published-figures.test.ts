import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { murmurHash3 } from '../../server/src/platform/lib/murmur-hash-3.js';
import { NEEDS_PUBLISHED_DATA, PUBLISHED_DATA } from '../../server/test/support/published-data-folder.js';
import { sequenceInterval, sequenceP } from '../src/confidence-sequence.js';
import { cupedEstimate, cupedSlope } from '../src/cuped.js';
import { absoluteEffect, relativeEffect } from '../src/effect.js';
import { type Estimate, meanEstimate, ratioEstimate, shareEstimate } from '../src/estimate.js';
import { fixedInterval, fixedP } from '../src/fixed-horizon.js';
import type { Moments } from '../src/moments.js';
import { benjaminiHochberg, holm } from '../src/multiple-tests.js';
import { logMixture, mixtureBound, mixtureRho } from '../src/normal-mixture.js';
import { sampleRatioP } from '../src/sample-ratio.js';
import { fixedSampleSize } from '../src/sample-size.js';

type Share = [count: number, players: number];
type Printed = { estimate: number; se: number; p?: number; ci: [number, number] };
type Sequence = Printed & { tuning: number; alpha: number } & (
    | { a: Moments; b: Moments }
    | { aShare: Share; bShare: Share }
  );
type Covariates = { n: number; y: number; yy: number; x: number; xx: number; xy: number };
type Ratio = { n: number; m: number; mm: number; d: number; dd: number; md: number };

type Figures = {
  murmur3_x86_32: [string, number, number][];
  unleash_bucket_mod100_plus1: [string, number, number][];
  welch: (Printed & { a: Moments; b: Moments; kind: 'relative' | 'absolute' })[];
  shares_relative: (Printed & { a: Share; b: Share })[];
  always_valid: Sequence[];
  normal_mixture_two_sided: {
    v: number;
    vOpt: number;
    alpha: number;
    rho: number;
    bound: number;
    logMixtureAt10: number;
  };
  cuped_relative: {
    control: Covariates;
    test: Covariates;
    theta: number;
    estimate: number;
    se: number;
    p: number;
  };
  ratio_relative: { control: Ratio; test: Ratio; means: [number, number]; estimate: number; p: number };
  srm_p: [number[], number][];
  holm: { p: number[]; adjusted: number[] };
  benjamini_hochberg: { p: number[]; adjusted: number[] }[];
  sample_size_total_two_arms: { variance: number; effect: number; alpha: number; power: number; n: number }[];
};

/** A figure is right if it rounds to what is printed. */
function expectPrinted(value: number | undefined, printed: number): void {
  const decimals = /\.(\d+)/.exec(String(printed))?.[1]?.length ?? 0;
  expect(value?.toFixed(decimals)).toBe(printed.toFixed(decimals));
}

const shareOf = ([count, players]: Share) => shareEstimate({ count, players });

function effectOf(kind: 'relative' | 'absolute', control: Estimate, arm: Estimate) {
  const effect = kind === 'absolute' ? absoluteEffect(control, arm) : relativeEffect(control, arm);
  if (effect === undefined) throw new Error('the mean of the control is zero');
  return effect;
}

describe.skipIf(PUBLISHED_DATA === undefined)(`published figures${NEEDS_PUBLISHED_DATA}`, () => {
  const figures: Figures = JSON.parse(
    PUBLISHED_DATA === undefined ? '{}' : readFileSync(join(PUBLISHED_DATA, 'statistics.json'), 'utf8'),
  );

  it('Welch’s t, absolute and relative', () => {
    expect(figures.welch.length).toBeGreaterThan(0);
    for (const { kind, a, b, estimate, se, p, ci } of figures.welch) {
      const effect = effectOf(kind, meanEstimate(a), meanEstimate(b));
      expectPrinted(effect.value, estimate);
      expectPrinted(effect.standardError, se);
      if (p !== undefined) expectPrinted(fixedP(effect), p);
      const { low, high } = fixedInterval(effect);
      expectPrinted(low, ci[0]);
      expectPrinted(high, ci[1]);
    }
  });

  it('relative changes of shares', () => {
    for (const { a, b, estimate, se, p, ci } of figures.shares_relative) {
      const effect = effectOf('relative', shareOf(a), shareOf(b));
      expectPrinted(effect.value, estimate);
      expectPrinted(effect.standardError, se);
      if (p !== undefined) expectPrinted(fixedP(effect), p);
      const { low, high } = fixedInterval(effect);
      expectPrinted(low, ci[0]);
      expectPrinted(high, ci[1]);
    }
  });

  it('intervals that are always valid', () => {
    for (const figure of figures.always_valid) {
      const [control, arm] =
        'a' in figure
          ? [meanEstimate(figure.a), meanEstimate(figure.b)]
          : [shareOf(figure.aShare), shareOf(figure.bShare)];
      const effect = effectOf('relative', control, arm);
      const options = { tunedTo: figure.tuning, alpha: figure.alpha };
      expectPrinted(effect.value, figure.estimate);
      expectPrinted(effect.standardError, figure.se);
      if (figure.p !== undefined) expectPrinted(sequenceP(effect, options), figure.p);
      const { low, high } = sequenceInterval(effect, options);
      expectPrinted(low, figure.ci[0]);
      expectPrinted(high, figure.ci[1]);
    }
  });

  it('the two-sided normal mixture', () => {
    const { v, vOpt, alpha, rho, bound, logMixtureAt10 } = figures.normal_mixture_two_sided;
    const own = mixtureRho(vOpt, alpha);
    expectPrinted(own, rho);
    expectPrinted(mixtureBound(v, own, alpha), bound);
    expectPrinted(logMixture(10, v, own), logMixtureAt10);
  });

  it('CUPED', () => {
    const { control, test, theta, estimate, se, p } = figures.cuped_relative;
    const [a, b] = [control, test].map(({ n, y, yy, x, xx, xy }) => ({
      ...{ n, sum: y, squares: yy },
      ...{ otherSum: x, otherSquares: xx, products: xy },
    }));
    if (a === undefined || b === undefined) throw new Error('two arms');
    const slope = cupedSlope([a, b]);
    expectPrinted(slope, theta);
    const effect = effectOf('relative', cupedEstimate(a, slope), cupedEstimate(b, slope));
    expectPrinted(effect.value, estimate);
    expectPrinted(effect.standardError, se);
    expectPrinted(fixedP(effect), p);
  });

  it('ratios of two sums', () => {
    const { control, test, means, estimate, p } = figures.ratio_relative;
    const [a, b] = [control, test].map(({ n, m, mm, d, dd, md }) =>
      ratioEstimate({ n, sum: m, squares: mm, otherSum: d, otherSquares: dd, products: md }),
    );
    if (a === undefined || b === undefined) throw new Error('two arms');
    expectPrinted(a.mean, means[0]);
    expectPrinted(b.mean, means[1]);
    const effect = effectOf('relative', a, b);
    expectPrinted(effect.value, estimate);
    expectPrinted(fixedP(effect), p);
  });

  it('the sample ratio test', () => {
    for (const [players, p] of figures.srm_p) {
      const arms = players.map((count) => ({ players: count, weight: 0.5 }));
      // Printed to the last digit of a double.
      expect(Math.abs(sampleRatioP(arms) / p - 1)).toBeLessThan(1e-12);
    }
  });

  it('adjusted p-values', () => {
    holm(figures.holm.p).forEach((p, at) => {
      expectPrinted(p, figures.holm.adjusted[at] ?? Number.NaN);
    });
    for (const { p, adjusted } of figures.benjamini_hochberg) {
      benjaminiHochberg(p).forEach((own, at) => {
        expectPrinted(own, adjusted[at] ?? Number.NaN);
      });
    }
  });

  it('the players that G*Power asks for', () => {
    for (const { variance, effect, alpha, power, n } of figures.sample_size_total_two_arms) {
      expect(fixedSampleSize({ variance, effect, alpha, power }).total).toBe(n);
    }
  });

  it('hashes and buckets', () => {
    const hashOf = (text: string, seed: number) => murmurHash3(Buffer.from(text), seed);
    for (const [text, seed, hash] of figures.murmur3_x86_32) expect(hashOf(text, seed)).toBe(hash);
    for (const [text, seed, bucket] of figures.unleash_bucket_mod100_plus1) {
      expect((hashOf(text, seed) % 100) + 1).toBe(bucket);
    }
  });
});
