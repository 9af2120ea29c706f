/** An immutable state of a game in memory, by its number. */
type Versioned = Readonly<{ version: number }>;

export type VersionSnapshots<T extends Versioned> = {
  /** The state of exactly this version. Readers learn the version with the player's row, so it is never stale. */
  get(gameId: number, version: number): T | Promise<T>;
};

/**
 * Keeps one version of each game in memory. Versions are immutable, so no cache entry has to be invalidated. Readers that ask
 * for the same version at the same time share one load. Version 0 is `initial`: nothing has been stored for the game yet.
 */
export function createVersionSnapshots<T extends Versioned>(
  initial: T,
  load: (gameId: number, version: number) => Promise<T>,
): VersionSnapshots<T> {
  const kept = new Map<number, T>();
  const loading = new Map<string, Promise<T>>();

  const keep = async (gameId: number, version: number): Promise<T> => {
    const loaded = await load(gameId, version);
    // A slow load of an older version must not push out a newer one.
    if (version > (kept.get(gameId)?.version ?? 0)) kept.set(gameId, loaded);
    return loaded;
  };

  return {
    get(gameId, version) {
      if (version === 0) return initial;
      const known = kept.get(gameId);
      if (known?.version === version) return known;
      const key = `${gameId}:${version}`;
      const pending = loading.get(key) ?? keep(gameId, version).finally(() => loading.delete(key));
      loading.set(key, pending);
      return pending;
    },
  };
}
