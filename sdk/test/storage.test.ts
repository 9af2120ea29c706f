import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createEventQueue } from '../src/event-queue.js';
import { fileStorage } from '../src/node/file-storage.js';
import { firstWorking } from '../src/storage/default-storage.js';
import { keyValueStorage } from '../src/storage/key-value-storage.js';
import { memoryStorage } from '../src/storage/memory-storage.js';
import type { SavepointStorage } from '../src/storage/storage.js';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'savepoint-sdk-'));
  folders.push(folder);
  return folder;
}

const mapStorage = (values = new Map<string, string>()) =>
  keyValueStorage({
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => values.set(key, value),
    removeItem: (key) => values.delete(key),
  });

const read = (storage: SavepointStorage, key: string) => storage.transact((tx) => tx.get(key));

const KINDS: [string, () => Promise<SavepointStorage>][] = [
  ['memory', async () => memoryStorage()],
  ['keys and values', async () => mapStorage()],
  ['a folder', async () => fileStorage(await temporaryFolder())],
];

describe.each(KINDS)('a storage in %s', (_name, create) => {
  it('reads what was written, also within a transaction, and forgets what was deleted', async () => {
    const storage = await create();
    await storage.transact(async (tx) => {
      tx.set('a', 'one');
      tx.set('b', 'two');
      expect(await tx.get('a')).toBe('one');
    });
    expect([await read(storage, 'a'), await read(storage, 'b')]).toEqual(['one', 'two']);
    await storage.transact(async (tx) => tx.delete('a'));
    expect(await read(storage, 'a')).toBeUndefined();
  });

  it('runs transactions one after the other, also after one that fails', async () => {
    const storage = await create();
    const add = () => storage.transact(async (tx) => tx.set('n', `${Number((await tx.get('n')) ?? 0) + 1}`));
    const failure = storage.transact(async () => {
      throw new Error('no');
    });
    await expect(failure).rejects.toThrow('no');
    await Promise.all(Array.from({ length: 20 }, add));
    expect(await read(storage, 'n')).toBe('20');
  });
});

it('a transaction is kept as a whole or not at all, wherever the process is killed', async () => {
  for (let writesUntilDeath = 0; writesUntilDeath < 6; writesUntilDeath++) {
    const values = new Map<string, string>();
    const setUp = mapStorage(values);
    await setUp.transact(async (tx) => {
      tx.set('a', '1');
      tx.set('b', '1');
    });
    let left = writesUntilDeath;
    const write = (work: () => unknown) => {
      if (left-- <= 0) throw new Error('killed');
      return work();
    };
    const dying = keyValueStorage({
      getItem: (key) => values.get(key) ?? null,
      setItem: (key, value) => write(() => values.set(key, value)),
      removeItem: (key) => write(() => values.delete(key)),
    });
    await dying
      .transact(async (tx) => {
        tx.set('a', '2');
        tx.delete('b');
        tx.set('c', '2');
      })
      .catch(() => {});
    const next = mapStorage(values);
    const seen = [await read(next, 'a'), await read(next, 'b'), await read(next, 'c')];
    expect(seen).toEqual(writesUntilDeath === 0 ? ['1', '1', undefined] : ['2', undefined, '2']);
  }
});

it('a storage that fails is replaced by the next one, and reported once', async () => {
  const broken: SavepointStorage = { transact: () => Promise.reject(new Error('refused')) };
  const told: string[] = [];
  const storage = firstWorking([() => broken, memoryStorage], ({ code }) => told.push(code));
  const writes = ['a', 'b', 'c'].map((key) => storage.transact(async (tx) => tx.set(key, key)));
  await Promise.all(writes);
  expect([await read(storage, 'a'), await read(storage, 'c')]).toEqual(['a', 'c']);
  expect(told).toEqual(['storage_failed']);
});

it('a copied folder starts a new installation, and events that waited in it keep theirs', async () => {
  const folder = await temporaryFolder();
  const queueIn = (path: string) =>
    createEventQueue({
      storage: fileStorage(path),
      prefix: '',
      maxEvents: 50,
      maxBytes: 60_000,
      maxStoredBytes: 1_000_000,
      onDropped: () => {},
      onDamaged: () => {},
    });
  await queueIn(folder).add(['{"eventType":"A"}']);
  const copy = join(await temporaryFolder(), 'copy');
  await cp(folder, copy, { recursive: true });
  const [original, copied] = [queueIn(folder), queueIn(copy)];
  for (const queue of [original, copied]) await queue.add(['{"eventType":"B"}']);
  const namesIn = async (queue: typeof original) => {
    const names: string[] = [];
    for (let batch = await queue.take(); batch !== undefined; batch = await queue.take()) {
      names.push(`${batch.install}/${batch.first}`);
      await queue.settle(batch, { accepted: batch.events.length });
    }
    return names;
  };
  const [first, second] = await namesIn(original);
  const [waiting, renamed] = await namesIn(copied);
  expect(waiting).toBe(first);
  expect(second).toBe(first?.replace('/1', '/2'));
  expect(renamed).toMatch(/\/1$/);
  expect(renamed).not.toBe(first);
  expect((await readdir(folder)).length).toBeGreaterThan(0);
});
