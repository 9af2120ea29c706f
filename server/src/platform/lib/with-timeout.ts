/** What the work gives, or undefined if it takes longer. The work goes on; what it does then is for others. */
export async function withTimeout<T>(work: Promise<T>, maxMs: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, maxMs, undefined);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
