import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from './random.js';

/** The faults that can happen to a request. */
export type NetworkFault = 'dropped' | 'response lost' | 'response cut' | 'delayed' | 'delivered twice';

export type UnreliableProxy = {
  url: string;
  /** From now on everything arrives. */
  calm(): void;
  /** How often each fault happened. */
  happened(): Record<string, number>;
  close(): Promise<void>;
};

type ForwardedResponse = { status: number; headers: IncomingMessage['headers']; body: Buffer };

/** Of a hundred requests. */
const PERCENT: readonly (readonly [NetworkFault, number])[] = [
  ['dropped', 5],
  ['response lost', 5],
  ['response cut', 3],
  ['delayed', 8],
  ['delivered twice', 5],
];
const MAX_DELAY_MS = 3_000;

/** The network of phones: a proxy between clients and the service, whose address stays while the service is killed. */
export async function startUnreliableProxy(target: () => string, random: Random): Promise<UnreliableProxy> {
  const agent = new Agent({ keepAlive: true, maxSockets: 128 });
  const happened: Record<string, number> = {};
  let isCalm = false;

  const chooseFault = (): NetworkFault | undefined => {
    if (isCalm) return undefined;
    let at = random.fraction() * 100;
    for (const [fault, percent] of PERCENT) {
      at -= percent;
      if (at < 0) return fault;
    }
    return undefined;
  };

  const pass = async (incoming: IncomingMessage, response: ServerResponse) => {
    // What a client has given up is not delivered later: the requests of phones do not wait in a queue that outlives their connection.
    const gone = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) gone.abort();
    });
    const body = await readAll(incoming);
    const fault = chooseFault();
    if (fault !== undefined) happened[fault] = (happened[fault] ?? 0) + 1;
    if (fault === 'dropped') return response.destroy();
    if (fault === 'delayed') await sleep(random.integer(MAX_DELAY_MS), undefined, gone);
    const sends = fault === 'delivered twice' ? 2 : 1;
    const forwarded = await Promise.all(
      Array.from({ length: sends }, () =>
        forward(new URL(incoming.url ?? '/', target()), incoming, body, { agent, signal: gone.signal }),
      ),
    );
    const chosen = random.pick(forwarded);
    if (fault === 'response lost') return response.destroy();
    response.writeHead(chosen.status, chosen.headers);
    if (fault !== 'response cut') return response.end(chosen.body);
    response.write(chosen.body.subarray(0, chosen.body.length / 2), () => response.destroy());
  };

  const server = createServer((incoming, response) => {
    // The service is down, or the client has gone: there is no response.
    pass(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calm: () => {
      isCalm = true;
    },
    happened: () => happened,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      agent.destroy();
    },
  };
}

function forward(
  url: URL,
  incoming: IncomingMessage,
  body: Buffer,
  connection: { agent: Agent; signal: AbortSignal },
): Promise<ForwardedResponse> {
  return new Promise((resolve, reject) => {
    const { method, headers } = incoming;
    const outgoing = request(url, {
      ...connection,
      headers: { ...headers, host: url.host },
      ...(method && { method }),
    });
    outgoing.once('error', reject);
    outgoing.once('response', (response) => {
      readAll(response).then(
        (read) => resolve({ status: response.statusCode ?? 502, headers: response.headers, body: read }),
        reject,
      );
    });
    outgoing.end(body);
  });
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
