/** One turn of the event loop. */
export const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

export async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await turn();
}
