import type { Pool } from '../../db/pool.js';
import { type RenderedStore, renderStore } from '../store/store-config.js';
import { findConfigVersion } from './config-queries.js';
import { EMPTY_GAME_CONFIG, type GameConfig } from './game-config.js';

/** A published version with everything that can be worked out once for all its readers. */
export type ConfigSnapshot = Readonly<{ config: GameConfig; store: RenderedStore }>;

export type ConfigSnapshots = {
  /** The snapshot of exactly this version. Readers learn the version with the player's row, so it is never stale. */
  get(gameId: number, version: number): ConfigSnapshot | Promise<ConfigSnapshot>;
};

const UNPUBLISHED = snapshot(EMPTY_GAME_CONFIG);

/** Keeps the newest version of each game in memory; versions are immutable, so nothing has to be told to forget. */
export function createConfigSnapshots(pool: Pool): ConfigSnapshots {
  const newest = new Map<number, ConfigSnapshot>();
  const loading = new Map<string, Promise<ConfigSnapshot>>();

  const load = async (gameId: number, version: number): Promise<ConfigSnapshot> => {
    const row = await findConfigVersion(pool, gameId, version);
    if (row === undefined) throw new Error(`game ${gameId} has no published version ${version}`);
    const loaded = snapshot({ ...row.document, version, publishedAt: row.publishedAt });
    if ((newest.get(gameId)?.config.version ?? 0) < version) newest.set(gameId, loaded);
    return loaded;
  };

  return {
    get(gameId, version) {
      if (version === 0) return UNPUBLISHED;
      const known = newest.get(gameId);
      if (known?.config.version === version) return known;
      const key = `${gameId}:${version}`;
      const pending = loading.get(key) ?? load(gameId, version).finally(() => loading.delete(key));
      loading.set(key, pending);
      return pending;
    },
  };
}

function snapshot(config: GameConfig): ConfigSnapshot {
  return Object.freeze({ config, store: renderStore(config) });
}
