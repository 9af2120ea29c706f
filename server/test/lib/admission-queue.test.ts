import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type AdmissionQueue, createAdmissionQueue } from '../../src/lib/admission-queue.js';
import { OverloadedError } from '../../src/lib/overloaded-error.js';
import { turns } from '../support/turns.js';

const FOREVER_MS = 3_600_000;

/** Work that goes on until it is told to end, and a record of what has begun. */
function createWorkplace(queue: AdmissionQueue) {
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  return {
    begun,
    send: (name: string, weight: number) =>
      queue.run(weight, () => {
        begun.push(name);
        return new Promise<string>((resolve, reject) => {
          ends.set(name, (error) => (error === undefined ? resolve(name) : reject(error)));
        });
      }),
    end: async (name: string, error?: Error) => {
      ends.get(name)?.(error);
      await turns(3);
    },
  };
}

describe('an admission queue', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  const create = (options: { capacity?: number; maxWaiting?: number; stallTimeoutMs?: number } = {}) =>
    createWorkplace(
      createAdmissionQueue({ capacity: 10, maxWaiting: 100, stallTimeoutMs: FOREVER_MS, ...options }),
    );

  it('lets work begin while there is capacity, and the others one after the other', async () => {
    const { begun, send, end } = create();
    const all = [send('a', 6), send('b', 6), send('c', 6), send('d', 1)];
    await turns(3);
    // The second one began because there was still capacity, not because it fitted.
    expect(begun).toEqual(['a', 'b']);
    await end('b');
    expect(begun).toEqual(['a', 'b', 'c']);
    await end('a');
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
    await end('c');
    await end('d');
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('refuses what would make the line too heavy, and does not begin it', async () => {
    const { begun, send, end } = create({ maxWaiting: 8 });
    const all = [send('a', 10), send('b', 8)];
    await expect(send('c', 1)).rejects.toThrow(OverloadedError);
    await end('a');
    await end('b');
    await Promise.all(all);
    expect(begun).toEqual(['a', 'b']);
    // The line is empty again.
    const again = [send('d', 10), send('e', 8)];
    await end('d');
    await end('e');
    expect(await Promise.all(again)).toEqual(['d', 'e']);
  });

  it('has its capacity back after work that failed', async () => {
    const { begun, send, end } = create();
    const failing = send('a', 10);
    const next = send('b', 10);
    await Promise.all([expect(failing).rejects.toThrow('broken'), end('a', new Error('broken'))]);
    expect(begun).toEqual(['a', 'b']);
    await end('b');
    await next;
  });

  it('no longer counts what is inside when nothing has moved for a while', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { begun, send, end } = create({ stallTimeoutMs: 20 });
    const names = ['b', 'c', 'd', 'e'];
    const all = ['stuck', ...names].map((name) => send(name, 6));
    await turns(3);
    expect(begun).toEqual(['stuck', 'b']);
    // Something moves.
    vi.advanceTimersByTime(15);
    await end('b');
    vi.advanceTimersByTime(15);
    await turns(3);
    expect(begun).toEqual(['stuck', 'b', 'c']);

    vi.advanceTimersByTime(5);
    await turns(3);
    expect(begun).toEqual(['stuck', 'b', 'c', 'd', 'e']);
    // Those that no longer count make no capacity when they end.
    const late = ['f', 'g'].map((name) => send(name, 6));
    await end('stuck');
    await end('c');
    expect(begun).toEqual(['stuck', 'b', 'c', 'd', 'e']);
    await end('d');
    expect(begun).toEqual(['stuck', 'b', 'c', 'd', 'e', 'f']);
    for (const name of ['e', 'f', 'g']) await end(name);
    expect(await Promise.all([...all, ...late])).toEqual(['stuck', ...names, 'f', 'g']);
  });

  it('begins in order, never without capacity, and settles everything', async () => {
    const piece = fc.record({
      weight: fc.nat({ max: 20 }),
      lasts: fc.nat({ max: 4 }),
      fails: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 30 }),
        fc.integer({ min: 1, max: 25 }),
        async (pieces, capacity) => {
          const queue = createAdmissionQueue({ capacity, maxWaiting: 1_000, stallTimeoutMs: FOREVER_MS });
          const begun: number[] = [];
          let inside = 0;
          const outcomes = await Promise.allSettled(
            pieces.map(({ weight, lasts, fails }, n) =>
              queue.run(weight, async () => {
                expect(inside).toBeLessThan(capacity);
                inside += weight;
                begun.push(n);
                await turns(lasts);
                inside -= weight;
                if (fails) throw new Error(String(n));
                return n;
              }),
            ),
          );
          expect(begun).toEqual(pieces.map((_, n) => n));
          expect(outcomes.map(({ status }) => status)).toEqual(
            pieces.map(({ fails }) => (fails ? 'rejected' : 'fulfilled')),
          );
          expect(inside).toBe(0);
        },
      ),
    );
  });
});
