/**
 * One measurement of an item. Events and publications empty the caches of the service, so reads begin with a second that does not
 * count: the result then does not depend on what was measured before.
 */
export async function measureItem(playground, item, seconds) {
  await item.prepare?.(playground);
  if (item.isRemembered) await playground.measure(await item.load(playground, 1), 1);
  const work = await playground.measure(await item.load(playground, seconds), seconds);
  return item.counts === undefined ? work : { ...work, perSecond: work[item.counts] };
}
