import { describe, expect, test } from 'vitest';
import { Batcher, type BatcherOptions } from '../../../src/platform/lib/batcher.js';
import { OverloadedError } from '../../../src/platform/lib/overloaded-error.js';
import { turn, turns } from '../../support/turns.js';

/** A coalescer of strings whose runs stay open until the test settles them. */
function manual(options: Partial<BatcherOptions<string, string>> = {}) {
  const runs: { items: string[]; resolve: (outputs: string[]) => void; reject: (error: unknown) => void }[] =
    [];
  const coalescer = new Batcher<string, string>({
    run: (items) => new Promise((resolve, reject) => runs.push({ items, resolve, reject })),
    maxItems: 100,
    maxInFlight: 1,
    maxWaiting: 1000,
    ...options,
  });
  const finish = async (index: number) => {
    const run = runs[index];
    if (run === undefined) throw new Error(`run ${index} has not started`);
    run.resolve(run.items.map((item) => item.toUpperCase()));
    // One turn to be noticed, one for the next group to start.
    await turns(2);
  };
  return { coalescer, runs, finish, groups: () => runs.map(({ items }) => items.join('')) };
}

/** Upper-cases at once; fails when a poison item is among the items. */
function immediate(options: Partial<BatcherOptions<string, string>> = {}) {
  const groups: string[] = [];
  const coalescer = new Batcher<string, string>({
    run: async (items) => {
      groups.push(items.join(''));
      if (items.includes('!')) throw new Error('poison');
      return items.map((item) => item.toUpperCase());
    },
    maxItems: 100,
    maxInFlight: 1,
    maxWaiting: 1000,
    ...options,
  });
  const submitAll = (items: string) =>
    Promise.all([...items].map((item) => coalescer.submit(item).catch((error: Error) => error.message)));
  return { coalescer, groups, submitAll };
}

describe('grouping', () => {
  test('all that is submitted in one turn travels together, each gets its own result', async () => {
    const { coalescer, groups } = immediate();
    const promises = [coalescer.submit('a')];
    queueMicrotask(() => promises.push(coalescer.submit('b')));
    process.nextTick(() => promises.push(coalescer.submit('c')));
    // As deep as the hooks of a request go.
    for (let i = 0; i < 20; i++) await Promise.resolve();
    promises.push(coalescer.submit('d'));
    await coalescer.idle();
    expect((await Promise.all(promises)).join('').toLowerCase()).toBe(groups[0]);
    expect(groups).toEqual(['abdc']);
  });

  test('the first item starts at the end of the turn, without a timer', async () => {
    const { coalescer, groups } = manual();
    void coalescer.submit('a');
    expect(groups()).toEqual([]);
    await turn();
    expect(groups()).toEqual(['a']);
  });

  test('what arrives while all places are taken forms the next group', async () => {
    const { coalescer, groups, finish } = manual({ maxInFlight: 2 });
    void coalescer.submit('a');
    await turn();
    void coalescer.submit('b');
    await turn();
    for (const item of 'cde') {
      void coalescer.submit(item);
      await turn();
    }
    expect(groups()).toEqual(['a', 'b']);
    await finish(1);
    expect(groups()).toEqual(['a', 'b', 'cde']);
  });

  test('with fillForMs, a group that is not full waits for those that are running', async () => {
    const { coalescer, groups, finish } = manual({ maxItems: 2, maxInFlight: 2, fillForMs: 60_000 });
    const promises = [coalescer.submit('a')];
    await turns(2);
    promises.push(coalescer.submit('b'));
    await turns(2);
    expect(groups()).toEqual(['a']);
    // Full: it starts beside the first.
    promises.push(coalescer.submit('c'));
    await turns(2);
    expect(groups()).toEqual(['a', 'bc']);
    promises.push(coalescer.submit('d'));
    await turns(2);
    expect(groups()).toEqual(['a', 'bc']);
    await finish(0);
    expect(groups()).toEqual(['a', 'bc']);
    await finish(1);
    expect(groups()).toEqual(['a', 'bc', 'd']);
    await finish(2);
    expect(await Promise.all(promises)).toEqual(['A', 'B', 'C', 'D']);
  });

  test('with fillForMs, a group that hangs holds the next one up no longer than that', async () => {
    const { coalescer, groups } = manual({ maxInFlight: 2, fillForMs: 5 });
    void coalescer.submit('a');
    await turns(2);
    void coalescer.submit('b');
    await expect.poll(groups).toEqual(['a', 'b']);
  });

  test('with linger, after a group with company the next one waits until most are back', async () => {
    const { coalescer, groups, finish } = manual({ linger: { ms: 60_000, after: 4 } });
    for (const item of 'abcdef') void coalescer.submit(item);
    await turns(2);
    for (const item of 'ghij') void coalescer.submit(item);
    await finish(0);
    for (const item of 'kl') void coalescer.submit(item);
    await turns(2);
    expect(groups()).toEqual(['abcdef']);
    void coalescer.submit('m');
    await turns(2);
    expect(groups()).toEqual(['abcdef', 'ghijklm']);
  });

  test('with linger, no item waits for longer than that', async () => {
    const { coalescer, groups, finish } = manual({ linger: { ms: 5, after: 4 } });
    for (const item of 'abcd') void coalescer.submit(item);
    await turns(2);
    await finish(0);
    void coalescer.submit('e');
    await turns(2);
    await expect.poll(groups).toEqual(['abcd', 'e']);
  });

  test('with linger, no item waits after a group of few, nor when the next one is full', async () => {
    const { coalescer, groups, finish } = manual({ maxItems: 4, linger: { ms: 60_000, after: 4 } });
    for (const item of 'abc') void coalescer.submit(item);
    await turns(2);
    await finish(0);
    void coalescer.submit('d');
    await turns(2);
    expect(groups()).toEqual(['abc', 'd']);
    for (const item of 'efghijkl') void coalescer.submit(item);
    await finish(1);
    expect(groups()).toEqual(['abc', 'd', 'efgh']);
    await finish(2);
    expect(groups()).toEqual(['abc', 'd', 'efgh', 'ijkl']);
  });

  test('a group holds no more than maxItems, in order of arrival', async () => {
    const { coalescer, groups, submitAll } = immediate({ maxItems: 3, maxInFlight: 2 });
    expect((await submitAll('abcdefgh')).join('')).toBe('ABCDEFGH');
    expect(groups).toEqual(['abc', 'def', 'gh']);
    expect(coalescer.waiting).toBe(0);
  });

  test('weights count, and an item heavier than maxItems travels alone', async () => {
    const { groups, submitAll } = immediate({ maxItems: 5, weigh: Number });
    await submitAll('2291500000');
    expect(groups).toEqual(['22', '9', '1', '5', '00000']);
  });

  test.each([{ maxItems: 0 }, { maxInFlight: 0 }, { maxWaiting: Number.NaN }])(
    'refuses senseless options %o',
    (options) => {
      expect(() => immediate(options)).toThrow(RangeError);
    },
  );
});

describe('overload', () => {
  test('refuses at once what goes beyond maxWaiting, and takes more when that has started', async () => {
    const { coalescer, groups, finish } = manual({ maxWaiting: 3 });
    void coalescer.submit('a');
    await turn();
    const kept = [...'bcd'].map((item) => coalescer.submit(item));
    expect(coalescer.waiting).toBe(3);
    await expect(coalescer.submit('e')).rejects.toBeInstanceOf(OverloadedError);
    expect(coalescer.waiting).toBe(3);
    await finish(0);
    expect(coalescer.waiting).toBe(0);
    void coalescer.submit('f');
    await finish(1);
    expect(await Promise.all(kept)).toEqual(['B', 'C', 'D']);
    expect(groups()).toEqual(['a', 'bcd', 'f']);
  });

  test('weights count', async () => {
    const { coalescer } = manual({ maxWaiting: 10, weigh: Number });
    void coalescer.submit('6');
    await expect(coalescer.submit('5')).rejects.toBeInstanceOf(OverloadedError);
    void coalescer.submit('4');
    expect(coalescer.waiting).toBe(10);
  });

  test('a weight that is not a number is refused and spoils nothing', async () => {
    const { coalescer } = immediate({ weigh: Number });
    await expect(coalescer.submit('x')).rejects.toBeInstanceOf(OverloadedError);
    expect(await coalescer.submit('1')).toBe('1');
    expect(coalescer.waiting).toBe(0);
  });
});

describe('failure', () => {
  test('fails the whole group when it must not be split', async () => {
    const { groups, submitAll } = immediate();
    expect(await submitAll('ab!c')).toEqual(['poison', 'poison', 'poison', 'poison']);
    expect(groups).toEqual(['ab!c']);
  });

  test('only the failing item fails when the group may be split', async () => {
    const { groups, submitAll } = immediate({ splitOn: () => true });
    expect(await submitAll('abcdef!h')).toEqual(['A', 'B', 'C', 'D', 'E', 'F', 'poison', 'H']);
    expect(groups).toEqual(['abcdef!h', 'abcd', 'ef!h', 'ef', '!h', '!', 'h']);
  });

  test('splitOn decides by the error', async () => {
    const { groups, submitAll } = immediate({
      splitOn: (error) => error instanceof Error && error.message !== 'poison',
    });
    expect(await submitAll('a!')).toEqual(['poison', 'poison']);
    expect(groups).toEqual(['a!']);
  });

  test('a splitOn that throws does not block the place', async () => {
    const { submitAll } = immediate({
      splitOn: () => {
        throw new Error('no response');
      },
    });
    expect(await submitAll('a!')).toEqual(['poison', 'poison']);
    expect(await submitAll('a')).toEqual(['A']);
  });

  test('halves run in the place of the whole, and later groups wait', async () => {
    const { coalescer, groups, runs } = manual({ splitOn: () => true });
    const results = [...'ab'].map((item) => coalescer.submit(item).catch(() => 'failed'));
    await turn();
    void coalescer.submit('c');
    runs[0]?.reject(new Error('whole'));
    await turns(3);
    expect(groups()).toEqual(['ab', 'a']);
    runs[1]?.reject(new Error('half'));
    await turns(3);
    expect(groups()).toEqual(['ab', 'a', 'b']);
    runs[2]?.resolve(['B']);
    await turns(3);
    expect(groups()).toEqual(['ab', 'a', 'b', 'c']);
    expect(await Promise.all(results)).toEqual(['failed', 'B']);
  });

  test.each([
    ['too few results', async () => ['x']],
    ['too many results', async () => ['x', 'y', 'z']],
    ['no array', async () => undefined as unknown as string[]],
  ])('%s: an error for all, and no second run', async (_, run) => {
    let count = 0;
    const { submitAll } = immediate({
      splitOn: () => true,
      run: () => {
        count++;
        return run();
      },
    });
    const sentence = 'A coalesced run must give one result per item.';
    expect(await submitAll('ab')).toEqual([sentence, sentence]);
    expect(count).toBe(1);
  });

  test('a run that throws before it gives a promise is a failed run', async () => {
    const { submitAll } = immediate({
      run: () => {
        throw new Error('at once');
      },
    });
    expect(await submitAll('a')).toEqual(['at once']);
    expect(await submitAll('b')).toEqual(['at once']);
  });
});

describe('idle', () => {
  test('resolves at once when nothing is going on', async () => {
    await immediate().coalescer.idle();
  });

  test('waits for what waits and for what runs', async () => {
    const { coalescer, finish } = manual();
    let idle = false;
    void coalescer.submit('a');
    void coalescer.idle().then(() => {
      idle = true;
    });
    await turn();
    void coalescer.submit('b');
    await finish(0);
    expect(idle).toBe(false);
    await finish(1);
    expect(idle).toBe(true);
  });
});
