/** How long this process computes for some work, in ms. Unlike the time on the wall, other processes do not add to it. */
export async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
