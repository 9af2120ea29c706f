import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairQueues } from '../../../src/platform/overload/fair-queues.js';

type Item = { name: string; weight: number };
const item = (name: string, weight = 1): Item => ({ name, weight });

function takeAll(queues: FairQueues<Item>): string[] {
  const names: string[] = [];
  for (let next = queues.takeNext(0); next !== undefined; next = queues.takeNext(0)) names.push(next.name);
  return names;
}

describe('fair queues', () => {
  it('take turns, one item each, in the order in which the queues began', () => {
    const queues = new FairQueues<Item>();
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'c2'])
      queues.append(name.charAt(0), item(name), 0);
    expect(takeAll(queues)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3', 'a4']);
  });

  it('let a newcomer wait for one item of each other queue', () => {
    const queues = new FairQueues<Item>();
    for (let n = 0; n < 100; n++) queues.append('flood', item(`f${n}`), 0);
    expect(queues.takeNext(0)?.name).toBe('f0');
    queues.append('new', item('n'), 0);
    expect([queues.takeNext(0)?.name, queues.takeNext(0)?.name]).toEqual(['f1', 'n']);
  });

  it('tell their weight, that of their first items and that of one queue', () => {
    const queues = new FairQueues<Item>();
    const [a1, a2, b1] = [item('a1', 5), item('a2', 3), item('b1', 2)];
    queues.append('a', a1, 0);
    queues.append('a', a2, 0);
    queues.append('b', b1, 0);
    expect(queues).toMatchObject({ size: 3, weight: 10, headWeight: 7 });
    expect(queues.loadOf('a')).toEqual({ requests: 2, weight: 8 });
    queues.remove('a', a1);
    expect(queues).toMatchObject({ size: 2, weight: 5, headWeight: 5 });
    queues.remove('a', a1);
    queues.remove('c', a1);
    expect(queues).toMatchObject({ size: 2, weight: 5, headWeight: 5 });
    queues.remove('b', b1);
    expect(queues.loadOf('b')).toEqual({ requests: 0, weight: 0 });
    expect(takeAll(queues)).toEqual(['a2']);
    expect(queues).toMatchObject({ size: 0, weight: 0, headWeight: 0 });
  });

  it('pass over a key that is held, and let it be the last when it is released', () => {
    const queues = new FairQueues<Item>();
    const a1 = item('a1', 5);
    queues.append('a', a1, 0);
    queues.hold('a');
    queues.hold('a');
    queues.append('a', item('a2', 3), 0);
    queues.append('b', item('b1', 2), 7);
    expect(queues).toMatchObject({ size: 3, weight: 10, headWeight: 2, hasNext: true });
    expect([queues.isHeld('a'), queues.isHeld('b')]).toEqual([true, false]);
    expect(queues.loadOf('a')).toEqual({ requests: 2, weight: 8 });
    expect(queues.nextSince()).toBe(7);
    queues.remove('a', a1);
    expect(takeAll(queues)).toEqual(['b1']);
    expect(queues).toMatchObject({ size: 1, weight: 3, headWeight: 0, hasNext: false });
    queues.append('c', item('c1'), 8);
    queues.release('a', 9);
    queues.release('a', 9);
    expect(queues).toMatchObject({ size: 2, weight: 4, headWeight: 4 });
    expect(takeAll(queues)).toEqual(['c1', 'a2']);
  });

  it('hold a key that has nothing in queue yet', () => {
    const queues = new FairQueues<Item>();
    queues.hold('a');
    queues.append('a', item('a1'), 0);
    expect(queues.takeNext(0)).toBeUndefined();
    queues.release('a', 0);
    expect(takeAll(queues)).toEqual(['a1']);
    queues.hold('b');
    queues.release('b', 0);
    expect(queues).toMatchObject({ size: 0, headWeight: 0, hasNext: false });
  });

  it('tell how long the next queue has been waiting for its turn, not for items of its own', () => {
    const queues = new FairQueues<Item>();
    expect(queues.nextSince()).toBeUndefined();
    queues.append('a', item('a1'), 10);
    queues.append('a', item('a2'), 10);
    queues.append('b', item('b1'), 20);
    expect(queues.nextSince()).toBe(10);
    queues.takeNext(30);
    expect(queues.nextSince()).toBe(20);
    queues.takeNext(40);
    expect(queues.nextSince()).toBe(30);
  });

  it('lose nothing, keep the order of each queue, and let no key be passed twice by the same key', () => {
    const step = fc.oneof(
      fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd'), weight: fc.integer({ min: 1, max: 9 }) }),
      fc.constant('take' as const),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const queues = new FairQueues<Item>();
        const appended: Item[] = [];
        const taken: Item[] = [];
        /** Keys that were served since the head of each queue became its head. */
        const passed = new Map<string, string[]>();
        const take = () => {
          const next = queues.takeNext(0);
          if (next === undefined) return;
          const key = next.name.charAt(0);
          taken.push(next);
          passed.delete(key);
          for (const [other, keys] of passed) {
            expect(keys, `${other} is passed twice`).not.toContain(key);
            keys.push(key);
          }
          if (queues.loadOf(key).requests > 0) passed.set(key, []);
        };
        for (const [n, one] of steps.entries()) {
          if (one === 'take') {
            take();
            continue;
          }
          const added = item(`${one.key}${n}`, one.weight);
          appended.push(added);
          if (!passed.has(one.key)) passed.set(one.key, []);
          queues.append(one.key, added, 0);
        }
        const left = appended.filter((each) => !taken.includes(each));
        expect(queues.weight).toBe(left.reduce((sum, { weight }) => sum + weight, 0));
        while (queues.size > 0) take();
        for (const key of ['a', 'b', 'c', 'd']) {
          const of = (items: Item[]) => items.filter(({ name }) => name.startsWith(key));
          expect(of(taken)).toEqual(of(appended));
        }
        expect(queues).toMatchObject({ size: 0, weight: 0, headWeight: 0 });
      }),
    );
  });
});
