import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairLines } from '../../src/overload/fair-lines.js';

type Item = { name: string; weight: number };
const item = (name: string, weight = 1): Item => ({ name, weight });

function takeAll(lines: FairLines<Item>): string[] {
  const names: string[] = [];
  for (let next = lines.takeNext(0); next !== undefined; next = lines.takeNext(0)) names.push(next.name);
  return names;
}

describe('fair lines', () => {
  it('take turns, one item each, in the order in which the lines began', () => {
    const lines = new FairLines<Item>();
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'c2'])
      lines.append(name.charAt(0), item(name), 0);
    expect(takeAll(lines)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3', 'a4']);
  });

  it('let a newcomer wait for one item of each other line', () => {
    const lines = new FairLines<Item>();
    for (let n = 0; n < 100; n++) lines.append('flood', item(`f${n}`), 0);
    expect(lines.takeNext(0)?.name).toBe('f0');
    lines.append('new', item('n'), 0);
    expect([lines.takeNext(0)?.name, lines.takeNext(0)?.name]).toEqual(['f1', 'n']);
  });

  it('tell their weight, that of their first items and that of one line', () => {
    const lines = new FairLines<Item>();
    const [a1, a2, b1] = [item('a1', 5), item('a2', 3), item('b1', 2)];
    lines.append('a', a1, 0);
    lines.append('a', a2, 0);
    lines.append('b', b1, 0);
    expect(lines).toMatchObject({ size: 3, weight: 10, headWeight: 7 });
    expect(lines.loadOf('a')).toEqual({ requests: 2, weight: 8 });
    lines.remove('a', a1);
    expect(lines).toMatchObject({ size: 2, weight: 5, headWeight: 5 });
    lines.remove('a', a1);
    lines.remove('c', a1);
    expect(lines).toMatchObject({ size: 2, weight: 5, headWeight: 5 });
    lines.remove('b', b1);
    expect(lines.loadOf('b')).toEqual({ requests: 0, weight: 0 });
    expect(takeAll(lines)).toEqual(['a2']);
    expect(lines).toMatchObject({ size: 0, weight: 0, headWeight: 0 });
  });

  it('pass over a key that is held, and let it be the last when it is released', () => {
    const lines = new FairLines<Item>();
    const a1 = item('a1', 5);
    lines.append('a', a1, 0);
    lines.hold('a');
    lines.hold('a');
    lines.append('a', item('a2', 3), 0);
    lines.append('b', item('b1', 2), 7);
    expect(lines).toMatchObject({ size: 3, weight: 10, headWeight: 2, hasNext: true });
    expect([lines.isHeld('a'), lines.isHeld('b')]).toEqual([true, false]);
    expect(lines.loadOf('a')).toEqual({ requests: 2, weight: 8 });
    expect(lines.nextSince()).toBe(7);
    lines.remove('a', a1);
    expect(takeAll(lines)).toEqual(['b1']);
    expect(lines).toMatchObject({ size: 1, weight: 3, headWeight: 0, hasNext: false });
    lines.append('c', item('c1'), 8);
    lines.release('a', 9);
    lines.release('a', 9);
    expect(lines).toMatchObject({ size: 2, weight: 4, headWeight: 4 });
    expect(takeAll(lines)).toEqual(['c1', 'a2']);
  });

  it('hold a key that has nothing in line yet', () => {
    const lines = new FairLines<Item>();
    lines.hold('a');
    lines.append('a', item('a1'), 0);
    expect(lines.takeNext(0)).toBeUndefined();
    lines.release('a', 0);
    expect(takeAll(lines)).toEqual(['a1']);
    lines.hold('b');
    lines.release('b', 0);
    expect(lines).toMatchObject({ size: 0, headWeight: 0, hasNext: false });
  });

  it('tell how long the next line has been waiting for its turn, not for items of its own', () => {
    const lines = new FairLines<Item>();
    expect(lines.nextSince()).toBeUndefined();
    lines.append('a', item('a1'), 10);
    lines.append('a', item('a2'), 10);
    lines.append('b', item('b1'), 20);
    expect(lines.nextSince()).toBe(10);
    lines.takeNext(30);
    expect(lines.nextSince()).toBe(20);
    lines.takeNext(40);
    expect(lines.nextSince()).toBe(30);
  });

  it('lose nothing, keep the order of each line, and let no key be passed twice by the same key', () => {
    const step = fc.oneof(
      fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd'), weight: fc.integer({ min: 1, max: 9 }) }),
      fc.constant('take' as const),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const lines = new FairLines<Item>();
        const appended: Item[] = [];
        const taken: Item[] = [];
        /** Keys that were served since the head of each line became its head. */
        const passed = new Map<string, string[]>();
        const take = () => {
          const next = lines.takeNext(0);
          if (next === undefined) return;
          const key = next.name.charAt(0);
          taken.push(next);
          passed.delete(key);
          for (const [other, keys] of passed) {
            expect(keys, `${other} is passed twice`).not.toContain(key);
            keys.push(key);
          }
          if (lines.loadOf(key).requests > 0) passed.set(key, []);
        };
        for (const [n, one] of steps.entries()) {
          if (one === 'take') {
            take();
            continue;
          }
          const added = item(`${one.key}${n}`, one.weight);
          appended.push(added);
          if (!passed.has(one.key)) passed.set(one.key, []);
          lines.append(one.key, added, 0);
        }
        const left = appended.filter((each) => !taken.includes(each));
        expect(lines.weight).toBe(left.reduce((sum, { weight }) => sum + weight, 0));
        while (lines.size > 0) take();
        for (const key of ['a', 'b', 'c', 'd']) {
          const of = (items: Item[]) => items.filter(({ name }) => name.startsWith(key));
          expect(of(taken)).toEqual(of(appended));
        }
        expect(lines).toMatchObject({ size: 0, weight: 0, headWeight: 0 });
      }),
    );
  });
});
