import { describe, expect, it } from 'vitest';
import { type Evaluation, minimise } from '../../../src/decide/predict/minimise.js';

function rosenbrock([x = 0, y = 0]: readonly number[]): Evaluation {
  const rest = y - x * x;
  return { value: (1 - x) ** 2 + 100 * rest ** 2 + 1, gradient: [-2 * (1 - x) - 400 * x * rest, 200 * rest] };
}

describe('minimise', () => {
  it('finds the bottom of the curved valley of Rosenbrock', () => {
    const { point, converged } = minimise(rosenbrock, [-1.2, 1]);
    expect(converged).toBe(true);
    expect(point[0]).toBeCloseTo(1, 5);
    expect(point[1]).toBeCloseTo(1, 5);
  });

  it('finds a minimum in four dimensions of very different scale', () => {
    const scales = [1, 10, 100, 1000];
    const { point, converged } = minimise(
      (at) => ({
        value: at.reduce((sum, value, index) => sum + (scales[index] ?? 1) * (value - index) ** 2, 5),
        gradient: at.map((value, index) => 2 * (scales[index] ?? 1) * (value - index)),
      }),
      [3, 3, 3, 3],
    );
    expect(converged).toBe(true);
    for (const [index, value] of point.entries()) expect(value).toBeCloseTo(index, 5);
  });

  it('takes no step from a minimum', () => {
    expect(minimise(rosenbrock, [1, 1])).toMatchObject({ point: [1, 1], converged: true, evaluations: 1 });
  });

  it('turns away from where there is no value', () => {
    const { point, converged } = minimise(
      ([x = 0]) => ({ value: x < 0.5 ? Number.NaN : (x - 0.6) ** 2 + 1, gradient: [2 * (x - 0.6)] }),
      [2],
    );
    expect(converged).toBe(true);
    expect(point[0]).toBeCloseTo(0.6, 5);
  });

  it('goes along a bound, and leaves it where the slope turns', () => {
    const bounds = { low: -1, high: 0.5 };
    const bowl = (at: readonly number[], centre: readonly number[]): Evaluation => ({
      value: 1 + at.reduce((sum, value, index) => sum + (value - (centre[index] ?? 0)) ** 2, 0),
      gradient: at.map((value, index) => 2 * (value - (centre[index] ?? 0))),
    });
    const outside = minimise((at) => bowl(at, [2, 0.2]), [0, 0.5], bounds);
    expect(outside.converged).toBe(true);
    expect(outside.point[0]).toBe(0.5);
    expect(outside.point[1]).toBeCloseTo(0.2, 5);
    expect(minimise((at) => bowl(at, [0.1, -7]), [0.5, -1], bounds).point[0]).toBeCloseTo(0.1, 5);
  });

  it('finds the end of a narrow valley that a bound cuts off', () => {
    const valley = ([x = 0, y = 0, z = 0]: readonly number[]): Evaluation => {
      const [across, along] = [x - y, x + 7];
      return {
        value: 1 + 1e4 * across ** 2 + along ** 2 + 10 * (z - y) ** 2,
        gradient: [2e4 * across + 2 * along, -2e4 * across - 20 * (z - y), 20 * (z - y)],
      };
    };
    const { point, converged, evaluations } = minimise(valley, [0.5, 0, 0.3], { low: -1, high: 0.5 });
    expect(converged).toBe(true);
    expect(evaluations).toBeLessThan(100);
    for (const value of point) expect(value).toBeCloseTo(-1, 4);
  });

  it('gives up where there is nothing but infinity', () => {
    const nowhere = () => ({ value: Number.POSITIVE_INFINITY, gradient: [0, 0] });
    expect(minimise(nowhere, [1, 2]).converged).toBe(false);
  });

  it('gives up on a slope without end', () => {
    const slope = ([x = 0]: readonly number[]) => ({ value: -Math.exp(x), gradient: [-Math.exp(x)] });
    expect(minimise(slope, [1]).converged).toBe(false);
  });
});
