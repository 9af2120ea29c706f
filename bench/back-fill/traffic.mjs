// Players who go on playing: through a kill of the service, too. What was not answered is sent again.
import { setTimeout as sleep } from 'node:timers/promises';
import { playerHeaders } from '../support/service.mjs';
import { createRandom, eventAt } from './events.mjs';

const SENDERS = 6;

/** `place.api` is the present address of the service. The first session sends a fifth of all batches. */
export function startTraffic(place, sessions) {
  const state = { events: 0, repeated: 0, failures: 0, isStopped: false };
  const senders = Array.from({ length: SENDERS }, (_, n) => send(n));
  return {
    state,
    async stop() {
      state.isStopped = true;
      await Promise.all(senders);
    },
  };

  async function send(sender) {
    const random = createRandom(101 + sender);
    for (let batch = 0; !state.isStopped; batch++) {
      const session = sessions[random(5) === 0 ? 0 : random(sessions.length)];
      const events = Array.from({ length: 1 + random(20) }, (_, n) => ({
        ...eventAt(Date.now(), batch, random),
        eventId: `live-${sender}-${batch}-${n}`,
      }));
      await deliver(session, events);
      state.events += events.length;
      if (random(5) === 0) {
        await deliver(session, events);
        state.repeated += events.length;
      }
      await sleep(10);
    }
  }

  /** Until the service has answered. */
  async function deliver(session, events) {
    for (;;) {
      const isDone = await post(session, events).catch(() => false);
      if (isDone) return;
      state.failures += 1;
      await sleep(250);
    }
  }

  async function post(session, events) {
    const response = await fetch(`${place.api}/v1/events`, {
      method: 'POST',
      headers: { ...playerHeaders(session), 'content-type': 'application/json' },
      body: JSON.stringify(events),
    });
    const text = await response.text();
    if (response.status === 202 && !text.includes('"rejected":[]')) throw new Error(text);
    return response.status === 202;
  }
}
