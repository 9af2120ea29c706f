import { describe, expect, it } from 'vitest';
import { bucketOf, hashText, isInShare } from '../../../src/features/personalisation/bucket.js';
import { uuid7 } from '../../../src/lib/uuid7.js';
import { NOW } from './fixtures.js';

const PLAYERS = 100_000;
/** Made within a few seconds, as after a campaign: they have most of their characters in common. */
const players = Array.from({ length: PLAYERS }, (_, n) => hashText(uuid7(NOW + Math.floor(n / 20))));

const places = (experiment: string) => {
  const hash = hashText(experiment);
  return players.map((player) => bucketOf(hash, player));
};

/** Standard deviations between a count and what is expected of that many tries. */
function deviations(count: number, tries: number, probability: number): number {
  return Math.abs(count - tries * probability) / Math.sqrt(tries * probability * (1 - probability));
}

describe('the place of a player in an experiment', () => {
  it('never changes: these values are for ever', () => {
    const player = hashText('0198c1f2-7d7a-7b0e-8000-000000000000');
    expect(player).toEqual(PINNED.player);
    expect(
      ['offer:winter_sale', 'offer:summer_sale', 'holdout'].map((name) => bucketOf(hashText(name), player)),
    ).toEqual(PINNED.places);
  });

  it('gives 30% of 100,000 players a 30% offer, within statistical error', () => {
    const chosen = places('offer:thirty').filter((place) => isInShare(place, 30)).length;
    expect(deviations(chosen, PLAYERS, 0.3)).toBeLessThan(4);
  });

  it('is unrelated to the place in another offer, also of a similar name', () => {
    for (const [one, other] of [
      ['offer:thirty', 'offer:third'],
      ['offer:o1', 'offer:o2'],
      ['offer:1', 'holdout'],
    ] as const) {
      const others = places(other);
      const both = places(one).filter(
        (place, n) => isInShare(place, 30) && isInShare(others[n] ?? 1, 30),
      ).length;
      expect(deviations(both, PLAYERS, 0.09)).toBeLessThan(4);
    }
  });

  it('is spread evenly: a thousand equal slices hold equally many', () => {
    for (const experiment of ['offer:a', 'offer:b', 'holdout']) {
      const slices = new Array<number>(1000).fill(0);
      for (const place of places(experiment))
        slices[Math.floor(place * 1000)] = (slices[Math.floor(place * 1000)] ?? 0) + 1;
      const expected = PLAYERS / slices.length;
      const chiSquare = slices.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
      // 999 degrees of freedom: mean 999, standard deviation 45.
      expect(Math.abs(chiSquare - 999)).toBeLessThan(5 * 45);
    }
  });

  it('turns with any change of the id: each bit of the outcome flips half of the time', () => {
    const seed = hashText('offer:a');
    const flips = new Array<number>(53).fill(0);
    const tries = 4000;
    for (let n = 0; n < tries; n++) {
      const [a, b] = [bucketOf(seed, hashText(`player-${n}`)), bucketOf(seed, hashText(`player-${n + 1}`))];
      const difference = BigInt(a * 2 ** 53) ^ BigInt(b * 2 ** 53);
      for (let bit = 0; bit < 53; bit++)
        if ((difference >> BigInt(bit)) & 1n) flips[bit] = (flips[bit] ?? 0) + 1;
    }
    for (const count of flips) expect(deviations(count, tries, 0.5)).toBeLessThan(5);
  });

  it('is inside of [0, 1), so that 0% is nobody and 100% is everybody', () => {
    const all = places('offer:everybody');
    expect(all.every((place) => place >= 0 && place < 1)).toBe(true);
    expect(all.some((place) => isInShare(place, 0))).toBe(false);
    expect(all.every((place) => isInShare(place, 100))).toBe(true);
  });
});

const PINNED = {
  player: { high: 1_450_597_344, low: 4_287_819_932 },
  places: [0.4449756278195065, 0.37114571515150485, 0.9694488344500919],
};
