import { Agent, request } from 'node:http';
import type { Login } from '../support/service.js';

/** What was sent, and what became of it. */
export type Sent = { events: number; messages: number; byStatus: Record<string, number> };

export type Load = { sent: Sent; stop(): Promise<void> };

const INSTALL = 'erasure-install';
/** The device, the installation and the orders of the player, as they are sent. */
export const DEVICE = 'erasure-device';
export const IDS = [DEVICE, INSTALL, 'erasure-order-'];

let seq = 0;
let batches = 0;

/** Every tenth event is a purchase. Half of the batches are numbered, the others have identities. */
function batchOf(events: number): { body: string; isNumbered: boolean } {
  const isNumbered = batches++ % 2 === 0;
  const timestamp = new Date().toISOString();
  const all = Array.from({ length: events }, (_, n) => {
    seq++;
    const number = isNumbered ? { seq } : { eventId: `erasure-event-${seq}` };
    if (n % 10 !== 9) return { eventType: 'Level_Complete', timestamp, payload: { level: n }, ...number };
    const payload = { transactionId: `erasure-order-${seq}`, skuId: 'gems_80', price: 0.99, currency: 'USD' };
    return { eventType: 'Purchase', timestamp, payload, ...number };
  });
  return { body: JSON.stringify(all), isNumbered };
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** The status, or why there is none. */
function post(api: string, { headers }: Login, events: number): Promise<string> {
  const { body, isNumbered } = batchOf(events);
  return new Promise((resolve) => {
    const message = request(`${api}/v1/events`, {
      method: 'POST',
      agent,
      headers: {
        ...headers,
        'content-type': 'application/json',
        ...(isNumbered ? { 'x-install-id': INSTALL } : {}),
      },
    });
    message.once('error', () => resolve('no response'));
    message.once('response', (response) => {
      response.resume().once('end', () => resolve(String(response.statusCode)));
      response.once('error', () => resolve('no response'));
    });
    message.end(body);
  });
}

export function newSent(): Sent {
  return { events: 0, messages: 0, byStatus: {} };
}

function note(sent: Sent, status: string, events: number): void {
  sent.byStatus[status] = (sent.byStatus[status] ?? 0) + 1;
  if (status !== '202') return;
  sent.events += events;
  sent.messages++;
}

/** Sends so many messages of two events, to all nodes in turn. */
export async function sendBacklog(apis: readonly string[], login: Login, messages: number): Promise<Sent> {
  const sent = newSent();
  const lane = async (index: number) => {
    while (sent.messages < messages) note(sent, await post(apis[index % apis.length] ?? '', login, 2), 2);
  };
  await Promise.all(Array.from({ length: 32 }, (_, index) => lane(index)));
  return sent;
}

const BATCH = 25;

/** Sends events of the player at a fixed rate, until it is stopped. A refused batch is not sent again. */
export function startLoad(apis: () => readonly string[], login: Login, eventsPerSecond: number): Load {
  const sent = newSent();
  const open = new Set<Promise<void>>();
  let due = performance.now();
  let turn = 0;
  const timer = setInterval(() => {
    for (; due < performance.now(); due += (1_000 * BATCH) / eventsPerSecond) {
      const nodes = apis();
      const api = nodes[turn++ % nodes.length] ?? '';
      const one: Promise<void> = post(api, login, BATCH)
        .then((status) => note(sent, status, BATCH))
        .finally(() => open.delete(one));
      open.add(one);
    }
  }, 5);
  return {
    sent,
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
    },
  };
}
