import { describe, expect, it } from 'vitest';
import { createQueue, refused } from '../../support/admission-queue-calls.js';
import { turns } from '../../support/turns.js';

describe('the lines of an admission queue', () => {
  it('take turns: a key that sends much holds up the others by one request at most', async () => {
    const { begun, send, end } = createQueue({ capacity: 100, initialRatePerMs: 100 });
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

  it('are bounded by number and share, and the bound refuses the own key only', async () => {
    const { queue, send, end } = createQueue({ capacity: 100, maxRequestsPerKey: 3 });
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
    const { send, end } = createQueue({ capacity: 100 });
    const sent = [send('a', 100), send('b', 800)];
    await end('a');
    await end('b');
    expect(await Promise.all(sent)).toEqual(['a', 'b']);
  });

  it('let a newcomer in behind the first of each line, however long the line of another is', async () => {
    const { queue, send, end } = createQueue({ capacity: 100, initialRatePerMs: 1, maxRequestsPerKey: 100 });
    const sent = [send('a0', 900)];
    for (let n = 1; n <= 3; n++) sent.push(send(`a${n}`, 40));
    // 900 run and 120 wait: too much to wait behind, but only 40 of it come before another key.
    expect(queue.refusal(1, 'a')).toBe('wait');
    expect(queue.refusal(1, 'b')).toBeUndefined();
    for (let n = 0; n <= 3; n++) await end(`a${n}`);
    await Promise.all(sent);
  });
});

describe('one key of an admission queue', () => {
  it('may use a part of the capacity; the others begin at once beside it', async () => {
    const { queue, begun, send, end } = createQueue({ capacity: 400 });
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
    const { queue, send, end } = createQueue({ capacity: 400, maxRequestsPerKey: 2 });
    const flood = [send('flood0', 100), send('flood1', 10), send('flood2', 10)];
    expect(queue.refusal(10, 'flood')).toBe('own_line');
    await expect(send('flood3', 10)).rejects.toEqual(refused('own_line'));
    expect(queue.refusal(10, 'a')).toBeUndefined();
    for (let n = 0; n < 3; n++) await end(`flood${n}`);
    await Promise.all(flood);
    expect(queue.refusal(10, 'flood')).toBeUndefined();
  });

  it('that waits for itself does not count as a slow service', async () => {
    const { queue, clock, send, end } = createQueue({ capacity: 400 });
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
    const { queue, clock, send, end } = createQueue({ capacity: 400 });
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
    const { begun, clock, send, end } = createQueue({ capacity: 400 });
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
    const { queue } = createQueue();
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

  it('counts as if it were in line, so that what may come is not refused once it is there', async () => {
    const { queue, begun, send, end } = createQueue();
    const all = [send('w', 500)];
    const names = [...'abcdefghijkl'];
    const coming: { name: string; arrive: () => void }[] = [];
    for (const name of names) {
      if (queue.refusal(100, name) !== undefined) break;
      coming.push({ name, arrive: queue.expect(100, name) });
    }
    expect(coming.length).toBeGreaterThan(1);
    expect(coming.length).toBeLessThan(names.length);
    for (const { name, arrive } of coming) {
      arrive();
      all.push(send(name, 100));
    }
    await end('w');
    for (const { name } of coming) await end(name);
    await Promise.all(all);
    expect(begun).toEqual(['w', ...coming.map(({ name }) => name)]);
  });

  it('counts as one of its own line', async () => {
    const { queue, send, end } = createQueue({ maxRequestsPerKey: 2 });
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
    const { queue, begun, send, end } = createQueue();
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
    const { queue, send, end } = createQueue();
    const running = send('a', 500);
    await expect(send('b', 1, AbortSignal.abort(new Error('hung up')))).rejects.toThrow('hung up');
    expect(queue.waitingRequests).toBe(0);
    await end('a');
    await running;
  });

  it('is finished if it has begun', async () => {
    const { send, end } = createQueue();
    const gone = new AbortController();
    const running = send('a', 500);
    const begins = send('b', 500, gone.signal);
    await end('a');
    gone.abort(new Error('hung up'));
    await end('b');
    expect(await Promise.all([running, begins])).toEqual(['a', 'b']);
  });
});
