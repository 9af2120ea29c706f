/** Web Locks, where the platform has them. Without a name the session is not shared, so no lock is needed. */
function locksFor(name: string | false): LockManager | undefined {
  return name === false ? undefined : globalThis.navigator?.locks;
}

/** Runs `work` while no other tab runs under the same name. Without Web Locks it just runs. */
export async function withLock<T>(name: string | false, work: () => Promise<T>): Promise<T> {
  const locks = locksFor(name);
  return locks === undefined ? work() : locks.request(name as string, work);
}

/** Runs `work` unless another tab runs under the same name. Says whether it ran. */
export async function ifUnlocked(name: string | false, work: () => Promise<void>): Promise<boolean> {
  const locks = locksFor(name);
  if (locks === undefined) {
    await work();
    return true;
  }
  return locks.request(name as string, { ifAvailable: true }, async (lock) => {
    if (lock !== null) await work();
    return lock !== null;
  });
}
