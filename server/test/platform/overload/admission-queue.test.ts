import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OverloadedError } from '../../../src/platform/lib/overloaded-error.js';
import { AdmissionQueue } from '../../../src/platform/overload/admission-queue.js';
import { createQueue, QUEUE_OPTIONS, refused } from '../../support/admission-queue-calls.js';
import { turns } from '../../support/turns.js';

describe('an admission queue', () => {
  it('lets work begin while there is capacity, and the others one after the other', async () => {
    const { begun, send, end, waits, clock } = createQueue();
    const all = [send('a', 300), send('b', 300), send('c', 300), send('d', 50)];
    await turns(3);
    // The second one began because there was capacity left, not because it fitted.
    expect(begun).toEqual(['a', 'b']);
    clock.advance(30);
    await end('b');
    expect(begun).toEqual(['a', 'b', 'c']);
    await end('a');
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
    expect(waits).toEqual([0, 0, 30, 30]);
    await end('c');
    await end('d');
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('has its capacity back after work that failed', async () => {
    const { begun, send, end } = createQueue();
    const failing = send('a', 500);
    const next = send('b', 500);
    await Promise.all([expect(failing).rejects.toThrow('broken'), end('a', new Error('broken'))]);
    expect(begun).toEqual(['a', 'b']);
    await end('b');
    await next;
  });

  it('refuses at once what would wait too long, and does not begin it', async () => {
    const { queue, begun, send, end } = createQueue();
    const all = [send('a', 500), send('b', 300), send('c', 300)];
    expect(queue.refusal(1)).toBe('wait');
    await expect(send('d', 1)).rejects.toEqual(refused('wait'));
    expect([queue.waitingRequests, queue.waitingWeight]).toEqual([2, 600]);
    for (const name of ['a', 'b', 'c']) await end(name);
    await Promise.all(all);
    expect(begun).toEqual(['a', 'b', 'c']);
    expect(queue.refusal(1)).toBeUndefined();
  });

  it('refuses by the rate that it has measured: faster work lets more wait', async () => {
    const { queue, clock, send, end } = createQueue({ capacity: 100 });
    const fill = (round: string) => {
      const sent: string[] = [];
      for (let n = 0; queue.refusal(100) === undefined && n < 1_000; n++) {
        const name = `${round}-${'x'.repeat(n + 1)}`;
        sent.push(name);
        void send(name, 100);
      }
      return sent;
    };
    const first = fill('a');
    expect(first.length).toBeLessThan(12);
    // Ten times as fast as it thought.
    for (const name of first) {
      clock.advance(10);
      await end(name);
    }
    for (let round = 0; round < 6; round++) {
      for (const name of fill(`b${'y'.repeat(round)}`)) {
        clock.advance(10);
        await end(name);
      }
    }
    const last = fill('c');
    expect(last.length).toBeGreaterThan(80);
    expect(last.length).toBeLessThan(120);
    for (const name of last) await end(name);
  });

  it('leaves less time to wait when requests take long to come to it', async () => {
    let overheadMs = 0;
    const { queue, send, end } = createQueue({ overheadMs: () => overheadMs });
    const all = [send('a', 500), send('b', 300)];
    expect(queue.refusal(1)).toBeUndefined();
    overheadMs = 300;
    expect(queue.refusal(1)).toBe('wait');
    await end('a');
    await end('b');
    await Promise.all(all);
    // With capacity it still begins, however long it took.
    overheadMs = 5_000;
    expect(queue.refusal(1)).toBeUndefined();
  });

  it('refuses newcomers while those in line have waited too long already, whatever the rate was', async () => {
    const { queue, clock, send, end } = createQueue({ initialRatePerMs: 1_000, stallTimeoutMs: 3_600_000 });
    const all = [send('a', 500), send('b', 1)];
    expect(queue.refusal(1)).toBeUndefined();
    clock.advance(1_001);
    expect(queue.refusal(1)).toBe('wait');
    await end('a');
    await end('b');
    await Promise.all(all);
  });

  it('does not let more wait than memory is meant for', async () => {
    const { queue, send, end } = createQueue({ initialRatePerMs: 1_000_000, maxWaiting: 100 });
    const all = [send('a', 500), send('b', 60)];
    expect(queue.refusal(40)).toBeUndefined();
    await expect(send('c', 41)).rejects.toEqual(refused('full'));
    await end('a');
    await end('b');
    await Promise.all(all);
  });
});

describe('when nothing moves', () => {
  it('what runs takes no capacity any more, once it has stood still for long enough', async () => {
    const { begun, send, end, clock } = createQueue({ capacity: 10, initialRatePerMs: 100 });
    const names = ['b', 'c', 'd', 'e'];
    const all = ['stuck', ...names].map((name) => send(name, 6));
    await turns(3);
    expect(begun).toEqual(['stuck', 'b']);
    // Something moves.
    clock.advance(75);
    await end('b');
    clock.advance(75);
    await turns(3);
    expect(begun).toEqual(['stuck', 'b', 'c']);

    clock.advance(25);
    await turns(3);
    expect(begun).toEqual(['stuck', 'b', 'c', 'd', 'e']);
    // Those that are stuck make no room when they end.
    const late = ['f', 'g'].map((name) => send(name, 6));
    await end('stuck');
    await end('c');
    expect(begun).toEqual(['stuck', 'b', 'c', 'd', 'e']);
    await end('d');
    expect(begun).toEqual(['stuck', 'b', 'c', 'd', 'e', 'f']);
    for (const name of ['e', 'f', 'g']) await end(name);
    expect(await Promise.all([...all, ...late])).toEqual(['stuck', ...names, 'f', 'g']);
  });

  it('asking whether a request would be refused sets nothing aside', async () => {
    const { queue, begun, send, end, clock } = createQueue({ capacity: 10, initialRatePerMs: 100 });
    const all = [send('a', 5), send('b', 4), send('c', 12)];
    clock.advance(100);
    expect(queue.refusal(1)).toBeUndefined();
    // It moves after all, so what runs still takes all of the capacity.
    await end('b');
    all.push(send('d', 1));
    expect(begun).toEqual(['a', 'b', 'c']);
    await end('c');
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
    for (const name of ['a', 'd']) await end(name);
    await Promise.all(all);
  });

  it('new requests begin at once, also when none could wait and the rate has fallen to nothing', async () => {
    const { begun, send, end, clock } = createQueue();
    const stuck = send('stuck', 2_000);
    await expect(send('a', 1)).rejects.toThrow(OverloadedError);
    clock.advance(100);
    const after = send('b', 1);
    expect(begun).toEqual(['stuck', 'b']);
    await end('stuck');
    await end('b');
    await Promise.all([stuck, after]);
  });

  it('does not begin ever more: when nothing ends at all, newcomers are refused', async () => {
    const { queue, begun, send, end, clock } = createQueue();
    const all: Promise<string>[] = [];
    for (let n = 0; n < 20; n++) {
      if (queue.refusal(500) === undefined) all.push(send(`k${'x'.repeat(n)}`, 500));
      clock.advance(100);
      await turns(2);
    }
    expect(begun.length).toBeLessThanOrEqual(4);
    expect(queue.refusal(1)).toBe('wait');
    for (let round = 0; round < 5; round++) for (const name of [...begun]) await end(name);
    await Promise.all(all);
    expect(queue.refusal(1)).toBeUndefined();
  });
});

it('never begins without capacity, keeps the order of each line, and settles everything', async () => {
  const piece = fc.record({
    key: fc.constantFrom('a', 'b', 'c'),
    weight: fc.nat({ max: 20 }),
    lasts: fc.nat({ max: 4 }),
    fails: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { maxLength: 30 }),
      fc.integer({ min: 1, max: 25 }),
      async (pieces, capacity) => {
        const queue = new AdmissionQueue({
          ...QUEUE_OPTIONS,
          capacity,
          minCapacity: 1,
          maxRequestsPerKey: 100,
          initialRatePerMs: 1_000_000,
          stallTimeoutMs: 3_600_000,
          now: () => 0,
        });
        const begun: number[] = [];
        let running = 0;
        const runningOf = new Map<string, number>();
        const add = (key: string, weight: number) => {
          running += weight;
          runningOf.set(key, (runningOf.get(key) ?? 0) + weight);
        };
        const outcomes = await Promise.allSettled(
          pieces.map(({ key, weight, lasts, fails }, n) =>
            queue.run({ key, weight }, async () => {
              expect(running).toBeLessThan(capacity);
              expect(runningOf.get(key) ?? 0).toBeLessThan(capacity / 4);
              add(key, weight);
              begun.push(n);
              await turns(lasts);
              add(key, -weight);
              if (fails) throw new Error(String(n));
              return n;
            }),
          ),
        );
        const ofKey = (key: string) => begun.filter((n) => pieces[n]?.key === key);
        for (const key of ['a', 'b', 'c']) expect(ofKey(key)).toEqual(ofKey(key).toSorted((x, y) => x - y));
        expect(begun.toSorted((x, y) => x - y)).toEqual(pieces.map((_, n) => n));
        expect(outcomes.map(({ status }) => status)).toEqual(
          pieces.map(({ fails }) => (fails ? 'rejected' : 'fulfilled')),
        );
        expect([running, queue.waitingRequests, queue.waitingWeight]).toEqual([0, 0, 0]);
      },
    ),
  );
});
