export { type ClientErrorCode, SavepointError } from './errors.js';
export type { RejectedEvent, SavepointOptions, Sign } from './options.js';
export type { Player, ValueInfo } from './player.js';
export { Savepoint } from './savepoint.js';
export { indexedDbStorage } from './storage/indexed-db-storage.js';
export { type KeyValue, keyValueStorage } from './storage/key-value-storage.js';
export { memoryStorage } from './storage/memory-storage.js';
export type { SavepointStorage, Transaction } from './storage/storage.js';
export type {
  Asset,
  ErasureCode,
  FallbackConfig,
  Flag,
  Identity,
  PlayerData,
  PlayerPredictions,
  PlayerSegments,
  PlayerStatus,
  PlayerValues,
  Prediction,
  Receipt,
  SignedLogin,
  Sku,
  StoreConfig,
} from './wire.js';
