import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFifoMap } from '../../../src/platform/lib/fifo-map.js';

type Step =
  | { kind: 'set'; key: string; value: number }
  | { kind: 'delete'; key: string }
  | { kind: 'forget' };

const keys = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), key: keys, value: fc.nat() }),
  fc.record({ kind: fc.constant('delete' as const), key: keys }),
  fc.record({ kind: fc.constant('forget' as const) }),
);

describe('a map that knows its oldest entry', () => {
  it('does what a map does whose keys are deleted before they are set', () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 60 }), (list) => {
        const map = createFifoMap<string, number>();
        const model = new Map<string, number>();
        for (const step of list) {
          if (step.kind === 'set') {
            map.set(step.key, step.value);
            model.delete(step.key);
            model.set(step.key, step.value);
          } else {
            const key = step.kind === 'delete' ? step.key : map.oldest()?.[0];
            if (key !== undefined) expect(map.delete(key)).toBe(model.delete(key));
          }
          expect(map.oldest()).toEqual([...model][0]);
          expect(map.size).toBe(model.size);
          for (const key of ['a', 'b', 'c', 'd', 'e']) expect(map.get(key)).toBe(model.get(key));
        }
      }),
      { numRuns: 500 },
    );
  });
});
