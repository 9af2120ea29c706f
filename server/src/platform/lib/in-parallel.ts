/** Enough to hide the way to another machine. */
const AT_A_TIME = 4;

/** A few at a time. The first failure ends it. */
export async function inParallel<Item>(
  items: readonly Item[],
  signal: AbortSignal | undefined,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  let hasFailed = false;
  const take = async () => {
    for (const item of rest) {
      if (hasFailed) return;
      signal?.throwIfAborted();
      await work(item).catch((error: unknown) => {
        hasFailed = true;
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, take));
}
