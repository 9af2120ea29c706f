import { randomId } from './random-id.js';
import type { SavepointStorage } from './storage/storage.js';
import { createStoredValue } from './storage/stored-value.js';

type Options = { storage: SavepointStorage; prefix: string; onDamaged(what: string): void };

/** The id that the game has given, or one that is made at the first use and kept. */
export function createDeviceId(given: string | undefined, options: Options): () => Promise<string> {
  const { storage, prefix, onDamaged } = options;
  // Twice: without its id the device is another player.
  const stored = createStoredValue({
    storage,
    keys: [`${prefix}device`, `${prefix}device:copy`],
    isValid: (value): value is string => typeof value === 'string',
    onDamaged: () => onDamaged('the id of the device'),
  });
  let deviceId: Promise<string> | undefined;
  return async () => {
    if (given !== undefined) return given;
    deviceId ??= stored.update((id) => id ?? randomId());
    return deviceId;
  };
}
