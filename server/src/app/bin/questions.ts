/** One end of the channel between the primary and a process that it started. */
export type Channel = {
  send?(message: object, sent: (error: Error | null) => void): boolean;
  on(event: 'message', listener: (message: unknown) => void): unknown;
};

type Message = Readonly<{ type?: string; question?: string; id?: number; response?: unknown }>;

let lastId = 0;
const waiting = new Map<number, (response: unknown) => void>();
const heard = new WeakSet<Channel>();

/** Asks the process at the other end. Undefined when it does not respond in time, or is gone. */
export function ask<T>(channel: Channel, question: string, timeoutMs: number): Promise<T | undefined> {
  if (!heard.has(channel)) hearResponses(channel);
  const id = ++lastId;
  return new Promise((resolve) => {
    const settle = (response: unknown): void => {
      clearTimeout(timer);
      waiting.delete(id);
      resolve(response as T | undefined);
    };
    const timer = setTimeout(settle, timeoutMs, undefined);
    waiting.set(id, settle);
    channel.send?.({ type: 'question', question, id }, (error) => {
      if (error !== null) settle(undefined);
    });
  });
}

/** One listener for all questions, however many are asked at once. */
function hearResponses(channel: Channel): void {
  heard.add(channel);
  channel.on('message', (given) => {
    const message = given as Message;
    if (message.type === 'response') waiting.get(message.id ?? 0)?.(message.response);
  });
}

export function respond(channel: Channel, question: string, find: () => unknown): void {
  channel.on('message', async (given) => {
    const message = given as Message;
    if (message.type !== 'question' || message.question !== question) return;
    // Whoever asked may be gone by now.
    channel.send?.({ type: 'response', id: message.id, response: await find() }, () => {});
  });
}
