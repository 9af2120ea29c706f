import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Batcher } from '../../../src/platform/lib/batcher.js';
import { OverloadedError } from '../../../src/platform/lib/overloaded-error.js';
import { turns } from '../../support/turns.js';

describe('for any load', () => {
  type Item = { id: number; weight: number; poison: boolean };

  const load = fc.record({
    maxItems: fc.integer({ min: 1, max: 10 }),
    maxInFlight: fc.integer({ min: 1, max: 4 }),
    fillForMs: fc.constantFrom(0, 1, 60_000),
    linger: fc.record({ ms: fc.constantFrom(1, 3), after: fc.constantFrom(1, 3, 1_000) }),
    maxWaiting: fc.integer({ min: 1, max: 40 }),
    /** Items submitted, then a pause in turns of the event loop. */
    bursts: fc.array(
      fc.record({
        items: fc.array(
          fc.record({
            weight: fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, fc.integer({ min: 0, max: 12 })),
            poison: fc.oneof(
              { weight: 6, arbitrary: fc.constant(false) },
              { weight: 1, arbitrary: fc.constant(true) },
            ),
          }),
          { maxLength: 15 },
        ),
        pause: fc.nat(3),
      }),
      { maxLength: 8 },
    ),
    /** Turns that each run takes, used over and over. */
    durations: fc.array(fc.nat(4), { minLength: 1, maxLength: 10 }),
  });

  test('every submit settles, poison fails alone, bounds and order hold', async () => {
    await fc.assert(
      fc.asyncProperty(
        load,
        async ({ maxItems, maxInFlight, fillForMs, linger, maxWaiting, bursts, durations }) => {
          let running = 0;
          let runCount = 0;
          const started: number[] = [];
          const done = new Map<number, number>();
          const weightOf = (item: Item) => Math.max(1, item.weight);
          const coalescer = new Batcher<Item, number>({
            maxItems,
            maxInFlight,
            fillForMs,
            linger,
            maxWaiting,
            weigh: ({ weight }) => weight,
            splitOn: (error) => error instanceof Error && error.message === 'poison',
            run: async (items) => {
              expect(++running).toBeLessThanOrEqual(maxInFlight);
              const weight = items.reduce((sum, item) => sum + weightOf(item), 0);
              expect(items.length === 1 || weight <= maxItems).toBe(true);
              for (const { id } of items) if (!started.includes(id)) started.push(id);
              await turns(durations[runCount++ % durations.length] ?? 0);
              running--;
              if (items.some(({ poison }) => poison)) throw new Error('poison');
              for (const { id } of items) done.set(id, (done.get(id) ?? 0) + 1);
              return items.map(({ id }) => id);
            },
          });

          const settled: Promise<void>[] = [];
          const outcomes: string[] = [];
          const expected: string[] = [];
          let id = 0;
          for (const { items, pause } of bursts) {
            for (const part of items) {
              const item = { ...part, id: id++ };
              const before = coalescer.waiting;
              const fits = before + weightOf(item) <= maxWaiting;
              expected.push(!fits ? 'overloaded' : item.poison ? 'poison' : `result ${item.id}`);
              settled.push(
                coalescer.submit(item).then(
                  (output) => {
                    outcomes[item.id] = `result ${output}`;
                  },
                  (error: unknown) => {
                    outcomes[item.id] =
                      error instanceof OverloadedError ? 'overloaded' : (error as Error).message;
                  },
                ),
              );
              expect(coalescer.waiting).toBe(fits ? before + weightOf(item) : before);
              expect(coalescer.waiting).toBeLessThanOrEqual(maxWaiting);
            }
            await turns(pause);
          }
          await coalescer.idle();
          expect(coalescer.waiting).toBe(0);
          expect(running).toBe(0);
          await Promise.all(settled);
          expect(outcomes).toEqual(expected);
          const succeeded = expected.flatMap((outcome, index) =>
            outcome.startsWith('result') ? [index] : [],
          );
          expect([...done.keys()].sort((a, b) => a - b)).toEqual(succeeded);
          expect([...done.values()].every((count) => count === 1)).toBe(true);
          expect(started).toEqual([...started].sort((a, b) => a - b));
        },
      ),
      { numRuns: 300 },
    );
  });
});
