import type { RejectedEvent, SavepointOptions } from '../../src/options.js';
import { Savepoint } from '../../src/savepoint.js';
import { type KeyValue, keyValueStorage } from '../../src/storage/key-value-storage.js';
import { createSerial, type SavepointStorage } from '../../src/storage/storage.js';
import type { ServiceModel } from './service-model.js';

/** What a device keeps between runs of the game, and how a run is started and killed. */
export type Device = {
  values: Map<string, string>;
  rejected: RejectedEvent[];
  errors: string[];
  /** Starts the game on what the device has kept. */
  start(options?: Partial<SavepointOptions>): Run;
  /** A backup of this device, restored on another one. */
  copy(): Device;
};

export type Run = {
  client: Savepoint;
  /** From now on nothing that this run does reaches the storage or the network, and nothing comes back. */
  kill(): void;
};

export function createDevice(service: ServiceModel, values = new Map<string, string>()): Device {
  const rejected: RejectedEvent[] = [];
  const errors: string[] = [];
  /** Tabs take turns, as with IndexedDB. A killed one leaves its turn, and half of its writes. */
  const inTurn = createSerial();
  return {
    values,
    rejected,
    errors,
    copy: () => createDevice(service, new Map(values)),
    start(options = {}) {
      let isAlive = true;
      let die = () => {};
      const death = new Promise<void>((resolve) => {
        die = resolve;
      });
      const never = new Promise<never>(() => {});
      const alive = async <T>(work: () => T | Promise<T>): Promise<T> => {
        if (!isAlive) return never;
        const result = await work();
        return isAlive ? result : never;
      };
      const kv: KeyValue = {
        getItem: (key) => alive(() => values.get(key) ?? null),
        setItem: (key, value) => alive(() => values.set(key, value)),
        removeItem: (key) => alive(() => values.delete(key)),
      };
      const own = keyValueStorage(kv);
      const storage: SavepointStorage = {
        transact: async <T>(work: Parameters<typeof own.transact<T>>[0]) => {
          const done = inTurn(async () =>
            Promise.race([own.transact(work).then((value) => ({ value })), death]),
          );
          return alive(async () => (await done)?.value as T);
        },
      };
      const client = new Savepoint({
        baseUrl: 'http://service.test',
        sign: service.sign,
        deviceId: 'phone',
        storage,
        fetch: (input, init) => alive(() => service.fetch(input, init)),
        onRejected: (event) => rejected.push(event),
        onError: ({ code }) => errors.push(code),
        ...options,
      });
      return {
        client,
        kill: () => {
          isAlive = false;
          die();
        },
      };
    },
  };
}
