import { describe, expect, it } from 'vitest';
import { drawSoak } from './soak/drawing.js';
import { p99Of, type Sample } from './soak/samples.js';
import { judge, median, trendOf } from './soak/verdict.js';

const COUNT = 120;

/** Forty minutes in which nothing changes, but for what is given for each sample. */
function soak(change: (n: number) => Partial<Sample>): Sample[] {
  return Array.from({ length: COUNT }, (_, n) => ({
    seconds: n * 20,
    memory: { 'node one, worker': 150 + n },
    kept: n % 20 === 19 ? { 'node one, worker': 100 + (n % 7) } : undefined,
    sizes: { players: 10 + n, game_days: 1 },
    rows: { players: { live: 50_000, dead: 4_000 + (n % 5) * 1_000 } },
    p99: 30 + (n % 4),
    ...change(n),
  }));
}

const complaints = (samples: readonly Sample[]): string[] =>
  judge(samples)
    .filter(({ isGood }) => !isGood)
    .map(({ sentence }) => sentence);

describe('the verdict of a soak', () => {
  it('has nothing against a service that stays as it is while its players become more', () => {
    expect(complaints(soak(() => ({})))).toEqual([]);
  });

  it('names a process that grows, by how much an hour', () => {
    const growing = soak((n) => ({
      kept: n % 20 === 19 ? { 'node one, worker': 100 + n / 2 } : undefined,
    }));
    expect(complaints(growing)).toEqual([
      expect.stringMatching(
        /^Memory of node one, worker grows: it keeps .* \+90\.\d MB an hour, and has \d+\.$/,
      ),
    ]);
  });

  it('does not judge the first third, in which caches fill', () => {
    expect(
      complaints(
        soak((n) => ({
          kept: n % 20 === 19 ? { 'node one, worker': 50 + Math.min(n, 40) } : undefined,
          p99: n < 30 ? 900 : 30,
        })),
      ),
    ).toEqual([]);
  });

  it('is not misled by a few samples during a restart', () => {
    expect(complaints(soak((n) => (n % 15 === 0 ? { p99: 4_000, memory: {} } : {})))).toEqual([]);
  });

  it('names a table that grows although it has no row for each player', () => {
    expect(complaints(soak((n) => ({ sizes: { players: 10 + n, game_days: 1 + n / 10 } })))).toEqual([
      expect.stringContaining('The table game_days has no row for each player'),
    ]);
  });

  it('names a table whose dead rows stay', () => {
    const dirty = soak((n) => ({ rows: { players: { live: 50_000, dead: 1_000 * n } } }));
    expect(complaints(dirty)).toEqual([expect.stringContaining('Dead rows stay in players')]);
  });

  it('notices that it becomes slower', () => {
    expect(complaints(soak((n) => ({ p99: n < 80 ? 30 : 120 })))).toEqual([
      'It becomes slower: p99 120 ms in the last third, 30 ms in the third before.',
    ]);
  });

  it('takes the trend from the medians of slopes', () => {
    const { perHour, growth } = trendOf(
      soak((n) => ({ p99: n })),
      ({ p99 }) => p99,
    );
    expect(perHour).toBeCloseTo(180);
    expect(growth).toBeCloseTo(COUNT - 1);
    expect(median([])).toBe(0);
    expect(median([3, 1, 2])).toBe(2);
  });

  it('gives no p99 of too few requests', () => {
    expect(p99Of([1, 2, 3])).toBeUndefined();
    expect(p99Of(Array.from({ length: 1_000 }, (_, n) => n + 1))).toBe(990);
  });

  it('draws every panel, the restarts and the verdict', () => {
    const samples = soak(() => ({}));
    const drawing = drawSoak('A <soak>', samples, [{ seconds: 600, name: 'kill -9' }], judge(samples));
    expect(drawing).toContain('A &lt;soak>');
    expect(drawing.match(/<polyline/g)).toHaveLength(5);
    expect(drawing.match(/kill -9/g)).toHaveLength(4);
    expect(drawing).toContain('✓ It stays as fast');
    expect(drawing).not.toMatch(/NaN|undefined/);
  });
});
