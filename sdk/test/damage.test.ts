/** @module-tag full */
import { expect, it } from 'vitest';
import { createEventQueue } from '../src/event-queue.js';
import { keyValueStorage } from '../src/storage/key-value-storage.js';

const JOURNAL = 'savepoint!journal';
/** One with characters of several bytes, one with a line separator that JSON leaves as it is. */
const TYPES = ['A', 'Bäume 🚀', 'C\u2028', 'D', 'E', 'F', 'G'];
const eventOf = (eventType: string) => JSON.stringify({ eventType });

type Sent = { install: string; seq: number; eventType: string };

function openQueue(values: Map<string, string>) {
  const damaged: string[] = [];
  const queue = createEventQueue({
    storage: keyValueStorage({
      getItem: (key) => values.get(key) ?? null,
      setItem: (key, value) => values.set(key, value),
      removeItem: (key) => values.delete(key),
    }),
    prefix: '',
    maxEvents: 3,
    maxBytes: 60_000,
    maxStoredBytes: 1_000_000,
    onDropped: () => {},
    onDamaged: (what) => damaged.push(what),
  });
  return { queue, damaged };
}

async function sendAll({ queue }: ReturnType<typeof openQueue>): Promise<Sent[]> {
  const sent: Sent[] = [];
  for (let batch = await queue.take(); batch !== undefined; batch = await queue.take()) {
    const { install, first, events } = batch;
    for (const [index, event] of events.entries())
      if (event !== '') sent.push({ install, seq: first + index, ...JSON.parse(event) });
    await queue.settle(batch, { accepted: events.length });
  }
  return sent;
}

/** Three batches that wait, the first of them sent before, by a run that has sent another one successfully. */
async function filledStorage(): Promise<{ values: Map<string, string>; sent: Sent[] }> {
  const values = new Map<string, string>();
  const { queue } = openQueue(values);
  await queue.add([eventOf('Sent')]);
  const sent = await sendAll({ queue, damaged: [] });
  await queue.add(TYPES.map(eventOf));
  await queue.take();
  return { values, sent };
}

/** What is done to a text, and which of its bytes that touches. */
type Damage = { name: string; from: number; to: number; bytes: Buffer };

function* damagesOf(text: string): Generator<Damage> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at++) {
    for (const mask of [1 << (at % 8), 0xff]) {
      const changed = Buffer.from(bytes);
      changed[at] = (bytes[at] as number) ^ mask;
      yield { name: `byte ${at} ^ ${mask}`, from: at, to: at + 1, bytes: changed };
    }
    yield { name: `cut at ${at}`, from: at, to: bytes.length, bytes: bytes.subarray(0, at) };
  }
}

/** The events whose record, from its start to its end, has none of the touched bytes. */
function untouched(text: string, { from, to }: Damage): string[] {
  let offset = 0;
  return text.split('\n').flatMap((line) => {
    const [start, end] = [offset, offset + Buffer.byteLength(line) + 1];
    offset = end;
    const isTouched = from < end && to > start;
    return isTouched ? [] : TYPES.filter((type) => line.endsWith(eventOf(type)));
  });
}

it('whichever byte of what is stored is changed or cut off: the rest is sent, the damage is reported once, and new events go on', async () => {
  const { values, sent } = await filledStorage();
  let count = 0;
  for (const [key, text] of values) {
    for (const damage of damagesOf(text)) {
      count++;
      const name = `${key} ${damage.name}`;
      const copy = new Map(values).set(key, damage.bytes.toString());
      const run = openQueue(copy);
      await run.queue.add([eventOf('New')]);
      const arrived = await sendAll(run);
      const types = arrived.map(({ eventType }) => eventType);
      const elsewhere = TYPES.filter((type) => !text.includes(eventOf(type)));
      expect(types, name).toEqual(expect.arrayContaining([...elsewhere, ...untouched(text, damage), 'New']));
      expect(types, name).toEqual([...TYPES.filter((type) => types.includes(type)), 'New']);
      expect(run.damaged, name).toHaveLength(1);
      const names = [...sent, ...arrived].map(({ install, seq }) => `${install}/${seq}`);
      expect(new Set(names).size, `${name}: numbers used twice`).toBe(names.length);

      const next = openQueue(copy);
      expect(await next.queue.isEmpty(), name).toBe(true);
      expect(next.damaged, `${name}: reported again`).toEqual([]);
    }
  }
  expect(count).toBeGreaterThan(1_500);
});

it('events keep their numbers when others of their batch are damaged', async () => {
  const { values } = await filledStorage();
  const before = await sendAll(openQueue(new Map(values)));
  const numberOf = (list: Sent[], type: string) => list.find(({ eventType }) => eventType === type)?.seq;
  const text = values.get('batch:1') as string;
  const damaged = new Map(values).set('batch:1', text.replace('Bäume', 'Baume'));
  const after = await sendAll(openQueue(damaged));
  expect(after.map(({ eventType }) => eventType)).toEqual(TYPES.filter((type) => !type.startsWith('B')));
  for (const { eventType, seq } of after) expect(seq).toBe(numberOf(before, eventType));
});

it('the numbers of damaged events are not used again, also by the run that has tracked them', async () => {
  const values = new Map<string, string>();
  const run = openQueue(values);
  await run.queue.add(['A', 'B'].map(eventOf));
  values.set('batch:0', (values.get('batch:0') as string).replace('"B"', '"X"'));
  await run.queue.add([eventOf('C')]);
  expect((await sendAll(run)).map(({ seq, eventType }) => `${seq} ${eventType}`)).toEqual(['1 A', '3 C']);
  expect(run.damaged).toEqual(['batch 0']);
});

it.each(['', 'null', '{}', '[]', '5', '"text"', '{"install":"i","next":1,"head":0,"end":2,"bytes":0}'])(
  'what is JSON of another shape does not stop new events: %s',
  async (text) => {
    const { values } = await filledStorage();
    for (const key of values.keys()) values.set(key, text);
    const run = openQueue(values);
    await run.queue.add(TYPES.map(eventOf));
    expect((await sendAll(run)).map(({ eventType }) => eventType)).toEqual(TYPES);
    expect(run.damaged).toContain('the state of the queue');
  },
);

it('a journal that is damaged after a kill: what was saved is sent, and no number is used twice', async () => {
  for (let writesUntilDeath = 1; writesUntilDeath < 8; writesUntilDeath++) {
    const { values, sent } = await filledStorage();
    let left = Number.POSITIVE_INFINITY;
    const dying = new Map(values);
    const write = dying.set.bind(dying);
    dying.set = (key, value) => {
      if (left-- <= 0) throw new Error('killed');
      return write(key, value);
    };
    const { queue } = openQueue(dying);
    await queue.add([eventOf('X')]);
    left = writesUntilDeath;
    await queue.add(['Y', 'Z', 'Last'].map(eventOf)).catch(() => {});
    const rest = new Map(dying);
    if (rest.get(JOURNAL) !== undefined) rest.set(JOURNAL, '\x1e00000000 [["queue",null]]\n');
    const run = openQueue(rest);
    await run.queue.add([eventOf('New')]);
    const arrived = await sendAll(run);
    expect(arrived.map(({ eventType }) => eventType)).toEqual(expect.arrayContaining([...TYPES, 'X', 'New']));
    const names = [...sent, ...arrived].map(({ install, seq }) => `${install}/${seq}`);
    expect(new Set(names).size, `after ${writesUntilDeath} writes`).toBe(names.length);
  }
});
