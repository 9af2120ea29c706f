import { randomId } from '../random-id.js';
import { createSerial, type SavepointStorage } from './storage.js';

/**
 * Memory in front of a storage that refuses writes: what the storage holds can still be read, and so be sent. What it refused is
 * tried again with the next transaction; `onWritten` is called once it has taken all. Other tabs may have changed a shared storage
 * meanwhile, so nothing is written to one.
 */
export function standInStorage(base: SavepointStorage, onWritten: () => void): SavepointStorage {
  const inTurn = createSerial();
  let unwritten = new Map<string, string | undefined>();

  const writeBack = async () => {
    if (base.isShared) return;
    await base.transact(async (tx) => {
      for (const [key, text] of unwritten) {
        if (text === undefined) tx.delete(key);
        else tx.set(key, text);
      }
    });
    onWritten();
  };

  return {
    outage: randomId(),
    isShared: base.isShared === true,
    identity: async () => (await base.identity?.()) ?? '',
    transact: (work) =>
      inTurn(async () => {
        const changes = new Map(unwritten);
        const result = await base.transact((tx) =>
          work({
            get: async (key) => (changes.has(key) ? changes.get(key) : tx.get(key)),
            set: (key, text) => void changes.set(key, text),
            delete: (key) => void changes.set(key, undefined),
          }),
        );
        unwritten = changes;
        // It was reported when it failed first.
        await writeBack().catch(() => {});
        return result;
      }),
  };
}
