/** The lines of a response, each a JSON text, as they arrive. */
export async function* jsonLines(response: Response): AsyncGenerator<unknown> {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    const lines = `${rest}${value ?? ''}`.split('\n');
    rest = done ? '' : (lines.pop() ?? '');
    for (const line of lines) if (line.trim() !== '') yield JSON.parse(line);
    if (done) return;
  }
}
