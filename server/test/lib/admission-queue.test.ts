import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { AdmissionQueue, type AdmissionQueueOptions } from '../../src/lib/admission-queue.js';
import { OverloadedError } from '../../src/lib/overloaded-error.js';
import { createManualClock } from '../support/manual-clock.js';
import { turns } from '../support/turns.js';

/** At a rate of 1 and with a second to wait, 1,000 may be before a request, and half of it runs at once. */
const OPTIONS: AdmissionQueueOptions = {
  capacity: 500,
  minCapacity: 10,
  maxWaitMs: 1_000,
  maxWaiting: 10_000,
  maxRequestsPerKey: 8,
  stallTimeoutMs: 100,
  initialRatePerMs: 1,
};

/** A queue with a clock that is moved by hand, work that goes on until it is told to end, and a record of what has begun. */
function create(options: Partial<AdmissionQueueOptions> = {}) {
  const clock = createManualClock();
  const waits: number[] = [];
  const queue = new AdmissionQueue({
    ...OPTIONS,
    now: clock.now,
    onBegin: (waitedMs) => waits.push(waitedMs),
    ...options,
  });
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  return {
    queue,
    clock,
    waits,
    begun,
    /** The letters of a name are its key: `a1` and `a2` are of the same player. */
    send: (name: string, weight: number, signal?: AbortSignal) =>
      queue.run(
        { key: name.replace(/\d/g, ''), weight, ...(signal && { signal: () => signal }) },
        () =>
          new Promise<string>((resolve, reject) => {
            begun.push(name);
            ends.set(name, (error) => (error === undefined ? resolve(name) : reject(error)));
          }),
      ),
    end: async (name: string, error?: Error) => {
      ends.get(name)?.(error);
      await turns(3);
    },
  };
}

const refused = (reason: string) => expect.objectContaining({ name: 'OverloadedError', reason });

afterEach(() => {
  vi.useRealTimers();
});

describe('an admission queue', () => {
  it('lets work begin while there is capacity, and the others one after the other', async () => {
    const { begun, send, end, waits, clock } = create();
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
    const { begun, send, end } = create();
    const failing = send('a', 500);
    const next = send('b', 500);
    await Promise.all([expect(failing).rejects.toThrow('broken'), end('a', new Error('broken'))]);
    expect(begun).toEqual(['a', 'b']);
    await end('b');
    await next;
  });

  it('refuses at once what would wait too long, and does not begin it', async () => {
    const { queue, begun, send, end } = create();
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
    const { queue, clock, send, end } = create({ capacity: 100 });
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
    const { queue, send, end } = create({ overheadMs: () => overheadMs });
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
    const { queue, clock, send, end } = create({ initialRatePerMs: 1_000, stallTimeoutMs: 3_600_000 });
    const all = [send('a', 500), send('b', 1)];
    expect(queue.refusal(1)).toBeUndefined();
    clock.advance(1_001);
    expect(queue.refusal(1)).toBe('wait');
    await end('a');
    await end('b');
    await Promise.all(all);
  });

  it('does not let more wait than memory is meant for', async () => {
    const { queue, send, end } = create({ initialRatePerMs: 1_000_000, maxWaiting: 100 });
    const all = [send('a', 500), send('b', 60)];
    expect(queue.refusal(40)).toBeUndefined();
    await expect(send('c', 41)).rejects.toEqual(refused('full'));
    await end('a');
    await end('b');
    await Promise.all(all);
  });
});

describe('the lines of an admission queue', () => {
  it('take turns: who sends much does not hold up the others by more than one request', async () => {
    const { begun, send, end } = create({ capacity: 100, initialRatePerMs: 100 });
    const flood = Array.from({ length: 8 }, (_, n) => send(`flood${n}`, 100));
    const others = [send('a', 100), send('b', 100)];
    await turns(3);
    for (const name of ['flood0', 'a', 'b', 'flood1']) {
      expect(begun.at(-1)).toBe(name);
      await end(name);
    }
    for (let n = 2; n < 8; n++) await end(`flood${n}`);
    await Promise.all([...flood, ...others]);
  });

  it('are bounded by number and share, and who is refused for that is nobody else', async () => {
    const { queue, send, end } = create({ capacity: 100, maxRequestsPerKey: 3 });
    const sent = [send('a0', 100), send('a1', 10), send('a2', 10), send('a3', 10)];
    await expect(send('a4', 10)).rejects.toEqual(refused('own_line'));
    sent.push(send('b1', 200));
    // A quarter of the 1,000 that may wait.
    await expect(send('b2', 60)).rejects.toEqual(refused('own_line'));
    expect(queue.refusal(10, 'c')).toBeUndefined();
    for (const name of ['a0', 'b1', 'a1', 'a2', 'a3']) await end(name);
    await Promise.all(sent);
  });

  it('let one request of each key wait, however heavy it is', async () => {
    const { send, end } = create({ capacity: 100 });
    const sent = [send('a', 100), send('b', 800)];
    await end('a');
    await end('b');
    expect(await Promise.all(sent)).toEqual(['a', 'b']);
  });

  it('let a newcomer in behind the first of each line, however long the line of another is', async () => {
    const { queue, send, end } = create({ capacity: 100, initialRatePerMs: 1, maxRequestsPerKey: 100 });
    const sent = [send('a0', 900)];
    for (let n = 1; n <= 3; n++) sent.push(send(`a${n}`, 40));
    // 900 run and 120 wait: too much to wait behind, but only 40 of it come before somebody else.
    expect(queue.refusal(1, 'a')).toBe('wait');
    expect(queue.refusal(1, 'b')).toBeUndefined();
    for (let n = 0; n <= 3; n++) await end(`a${n}`);
    await Promise.all(sent);
  });
});

describe('one key of an admission queue', () => {
  it('may use a part of the capacity; the others begin at once beside it', async () => {
    const { queue, begun, send, end } = create({ capacity: 400 });
    // A quarter is 100: the second begins while less than that runs.
    const flood = [send('flood0', 60), send('flood1', 60), send('flood2', 60), send('flood3', 60)];
    await turns(3);
    expect(begun).toEqual(['flood0', 'flood1']);
    expect([queue.waitingRequests, queue.waitingWeight]).toEqual([2, 120]);
    const other = send('a', 10);
    expect(begun).toEqual(['flood0', 'flood1', 'a']);
    await end('flood0');
    expect(begun).toEqual(['flood0', 'flood1', 'a', 'flood2']);
    for (const name of ['a', 'flood1', 'flood2', 'flood3']) await end(name);
    await Promise.all([...flood, other]);
    expect([queue.waitingRequests, queue.runningWeight]).toEqual([0, 0]);
  });

  it('has a bounded line also while there is capacity for others', async () => {
    const { queue, send, end } = create({ capacity: 400, maxRequestsPerKey: 2 });
    const flood = [send('flood0', 100), send('flood1', 10), send('flood2', 10)];
    expect(queue.refusal(10, 'flood')).toBe('own_line');
    await expect(send('flood3', 10)).rejects.toEqual(refused('own_line'));
    expect(queue.refusal(10, 'a')).toBeUndefined();
    for (let n = 0; n < 3; n++) await end(`flood${n}`);
    await Promise.all(flood);
    expect(queue.refusal(10, 'flood')).toBeUndefined();
  });

  it('that waits for itself does not count as a slow service', async () => {
    const { queue, clock, send, end } = create({ capacity: 400 });
    const flood = Array.from({ length: 5 }, (_, n) => send(`flood${n}`, 50));
    // A tenth of what could be done.
    for (let n = 0; n < 5; n++) {
      clock.advance(1_000);
      await end(`flood${n}`);
    }
    await Promise.all(flood);
    expect(queue.ratePerSecond).toBe(1_000);
  });

  it('is refused once the first of its line has waited too long, and let in again after it has begun', async () => {
    const { queue, clock, send, end } = create({ capacity: 400 });
    const flood = [send('flood0', 100), send('flood1', 100)];
    clock.advance(1_000);
    expect(queue.refusal(10, 'flood')).toBeUndefined();
    clock.advance(1);
    expect(queue.refusal(10, 'flood')).toBe('own_line');
    await expect(send('flood2', 10)).rejects.toEqual(refused('own_line'));
    expect(queue.refusal(10, 'a')).toBeUndefined();
    await end('flood0');
    expect(queue.refusal(10, 'flood')).toBeUndefined();
    await end('flood1');
    await Promise.all(flood);
  });

  it('begins nothing while its own work is stuck, and the others do', async () => {
    const { begun, clock, send, end } = create({ capacity: 400 });
    const all = [send('flood0', 500), send('flood1', 10)];
    clock.advance(100);
    all.push(send('a', 10));
    await turns(3);
    expect(begun).toEqual(['flood0', 'a']);
    await end('flood0');
    expect(begun).toEqual(['flood0', 'a', 'flood1']);
    await end('a');
    await end('flood1');
    await Promise.all(all);
  });
});

describe('a request on its way', () => {
  it('counts, so that a burst is refused before it has arrived', () => {
    const { queue } = create();
    const arrivals: (() => void)[] = [];
    for (let n = 0; queue.refusal(100) === undefined && n < 1_000; n++) {
      arrivals.push(queue.expect(100, `key${n}`));
    }
    expect(arrivals.length).toBeLessThan(12);
    for (const arrive of arrivals) {
      arrive();
      arrive();
    }
    expect(queue.refusal(100)).toBeUndefined();
  });

  it('counts as one of its own line', async () => {
    const { queue, send, end } = create({ maxRequestsPerKey: 2 });
    const running = send('x', 500);
    const arrive = queue.expect(10, 'a');
    expect(queue.refusal(10, 'a')).toBeUndefined();
    queue.expect(10, 'a');
    expect(queue.refusal(10, 'a')).toBe('own_line');
    expect(queue.refusal(10, 'b')).toBeUndefined();
    arrive();
    expect(queue.refusal(10, 'a')).toBeUndefined();
    await end('x');
    await running;
  });
});

describe('a request whose sender is gone', () => {
  it('leaves the line and is never begun', async () => {
    const { queue, begun, send, end } = create();
    const gone = new AbortController();
    const running = send('a', 500);
    const waiting = send('b', 300, gone.signal);
    const behind = send('c', 100);
    expect(queue.waitingWeight).toBe(400);
    gone.abort(new Error('hung up'));
    await expect(waiting).rejects.toThrow('hung up');
    expect([queue.waitingRequests, queue.waitingWeight]).toEqual([1, 100]);
    await end('a');
    await end('c');
    await Promise.all([running, behind]);
    expect(begun).toEqual(['a', 'c']);
  });

  it('does not even wait if it was gone before', async () => {
    const { queue, send, end } = create();
    const running = send('a', 500);
    await expect(send('b', 1, AbortSignal.abort(new Error('hung up')))).rejects.toThrow('hung up');
    expect(queue.waitingRequests).toBe(0);
    await end('a');
    await running;
  });

  it('is finished if it has begun', async () => {
    const { send, end } = create();
    const gone = new AbortController();
    const running = send('a', 500);
    const begins = send('b', 500, gone.signal);
    await end('a');
    gone.abort(new Error('hung up'));
    await end('b');
    expect(await Promise.all([running, begins])).toEqual(['a', 'b']);
  });
});

describe('when nothing moves', () => {
  it('what runs takes no capacity any more, once it has stood still for long enough', async () => {
    const { begun, send, end, clock } = create({ capacity: 10, initialRatePerMs: 100 });
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

  it('newcomers begin at once, also when nobody could wait and the rate has fallen to nothing', async () => {
    const { begun, send, end, clock } = create();
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
    const { queue, begun, send, end, clock } = create();
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

it('begins never without capacity, each line in order, and settles everything', async () => {
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
          ...OPTIONS,
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
