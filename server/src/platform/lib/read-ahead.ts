/** Gives what a generator gives. The next one is asked for while the last one is being worked on. */
export async function* readAhead<T>(pages: AsyncGenerator<T>): AsyncGenerator<T> {
  const read = () => {
    const page = pages.next();
    // If the work on the current item fails first, no code awaits this promise any more.
    page.catch(() => {});
    return page;
  };
  for (let page = await read(); page.done !== true; ) {
    const next = read();
    yield page.value;
    page = await next;
  }
}
