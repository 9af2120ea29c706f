import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** The outcome of one request. Only a response says whether the events were taken. */
export type Outcome =
  | { kind: 'response'; status: number; body: unknown }
  | { kind: 'no response' }
  | { kind: 'timed out' }
  | { kind: 'cut' };

/** When the client ends the connection: some time after the last byte was sent, or as soon as the response begins. */
export type Cut = { when: 'waiting'; afterMs: number } | { when: 'responding' };

export type BatchSender = {
  send(url: string, headers: Record<string, string>, body: Buffer, cut?: Cut): Promise<Outcome>;
  /** Cuts every connection with a request on it, as when a phone loses its network. */
  cutAll(): void;
  close(): void;
};

/** As long as clients commonly wait, and longer than the service takes to return 503. */
const TIMEOUT_MS = 15_000;

export function createBatchSender(connections: number): BatchSender {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const underWay = new Set<() => void>();

  const send: BatchSender['send'] = (url, headers, body, cut) =>
    new Promise((resolve) => {
      let outcome: Outcome = { kind: 'no response' };
      let cutTimer: NodeJS.Timeout | undefined;
      const message = request(url, {
        method: 'POST',
        agent,
        headers: { ...headers, 'content-length': body.length },
      });
      const giveUp = (reason: Outcome): void => {
        outcome = reason;
        message.destroy();
      };
      const cutNow = (): void => giveUp({ kind: 'cut' });
      const timer = setTimeout(() => giveUp({ kind: 'timed out' }), TIMEOUT_MS);
      underWay.add(cutNow);
      const settle = (): void => {
        clearTimeout(timer);
        clearTimeout(cutTimer);
        underWay.delete(cutNow);
        resolve(outcome);
      };
      message.once('error', settle);
      message.once('response', (response) => {
        if (cut?.when === 'responding') cutNow();
        readResponse(response).then((read) => {
          if (read !== undefined && outcome.kind === 'no response') outcome = read;
          settle();
        });
      });
      if (cut?.when === 'waiting') {
        message.once('finish', () => {
          cutTimer = setTimeout(cutNow, cut.afterMs);
        });
      }
      message.end(body);
    });

  return {
    send,
    cutAll() {
      for (const cutNow of underWay) cutNow();
    },
    close: () => agent.destroy(),
  };
}

/** Undefined unless the whole response arrived: a part of an acknowledgement does not count. */
async function readResponse(response: IncomingMessage): Promise<Outcome | undefined> {
  try {
    const body = await text(response);
    if (!response.complete) return undefined;
    return { kind: 'response', status: response.statusCode ?? 0, body: JSON.parse(body) };
  } catch {
    return undefined;
  }
}
