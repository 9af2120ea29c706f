/** A message of a stream of server-sent events. */
export type ServerMessage = { event: string; data: string; id: string };

/**
 * Reads the text of such a stream as it arrives. `EventSource` cannot be used: it cannot send headers, and a header names the studio.
 * Returns what is left of an unfinished message, to be put before the next piece.
 */
export function readMessages(text: string, onMessage: (message: ServerMessage) => void): string {
  const blocks = text.split(/\r?\n\r?\n/);
  const rest = blocks.pop() ?? '';
  for (const block of blocks) {
    const lines = block.split(/\r?\n/);
    const fieldOf = (name: string) =>
      lines
        .filter((line) => line.startsWith(`${name}:`))
        .map((line) => line.slice(name.length + 1).replace(/^ /, ''))
        .join('\n');
    const data = fieldOf('data');
    if (data !== '') onMessage({ event: fieldOf('event') || 'message', data, id: fieldOf('id') });
  }
  return rest;
}
