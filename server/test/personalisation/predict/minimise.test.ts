import { describe, expect, it } from 'vitest';
import { minimise } from '../../../src/personalisation/predict/minimise.js';

describe('minimise', () => {
  it('finds the bottom of the curved valley of Rosenbrock', () => {
    const { point, converged } = minimise(
      ([x = 0, y = 0]) => (1 - x) ** 2 + 100 * (y - x * x) ** 2 + 1,
      [-1.2, 1],
    );
    expect(converged).toBe(true);
    expect(point[0]).toBeCloseTo(1, 4);
    expect(point[1]).toBeCloseTo(1, 4);
  });

  it('finds a minimum in four dimensions of very different scale', () => {
    const scales = [1, 10, 100, 1000];
    const { point } = minimise(
      (at) => at.reduce((sum, value, index) => sum + (scales[index] ?? 1) * (value - index) ** 2, 5),
      [3, 3, 3, 3],
    );
    for (const [index, value] of point.entries()) expect(value).toBeCloseTo(index, 4);
  });

  it('turns away from where there is no value', () => {
    const { point, converged } = minimise(([x = 0]) => (x < 0.5 ? Number.NaN : (x - 0.6) ** 2 + 1), [2]);
    expect(converged).toBe(true);
    expect(point[0]).toBeCloseTo(0.6, 4);
  });

  it('gives up where there is nothing but infinity', () => {
    expect(minimise(() => Number.POSITIVE_INFINITY, [1, 2]).converged).toBe(false);
  });

  it('gives up on a slope without end', () => {
    expect(minimise(([x = 0]) => -Math.exp(x), [1]).converged).toBe(false);
  });
});
