import { eventsJson } from './event-bodies.mjs';
import { openRawConnection, rawRequest } from './raw-connection.mjs';
import { playerHeaders } from './service.mjs';
import { percentile } from './statistics.mjs';

const CONNECTIONS = 64;

/**
 * Sends requests at a fixed rate, whether responses come or not, and counts each latency from the moment at which the request
 * was due: a server that stalls cannot hide it by slowing the generator down (no coordinated omission). When all connections
 * are busy, requests that are due wait, and the wait counts. A refusal for overload is a failure, unless the service may refuse.
 */
export async function openLoop({ url, requests, perSecond, seconds, mayRefuse = false }) {
  const { hostname, port } = new URL(url);
  const free = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => openRawConnection(hostname, Number(port))),
  );
  const everyMs = 1000 / perSecond;
  const total = Math.max(1, Math.floor(perSecond * seconds));
  const latencies = [];
  const failures = [];
  let refused = 0;
  let next = 0;
  const begun = performance.now() + 5;

  await new Promise((resolve) => {
    const sendDue = () => {
      const now = performance.now();
      while (next < total && free.length > 0 && begun + next * everyMs <= now) {
        const dueAt = begun + next * everyMs;
        // In turn: the service closes connections that send nothing for ten seconds.
        const connection = free.shift();
        connection.send(requests[next++ % requests.length], (status) => {
          latencies.push(performance.now() - dueAt);
          if (status === 503 && mayRefuse) refused++;
          else if (status < 200 || status > 299) failures.push(status);
          free.push(connection);
          if (latencies.length < total) return sendDue();
          clearInterval(timer);
          resolve();
        });
      }
    };
    const timer = setInterval(sendDue, 1);
  });
  for (const connection of free) connection.close();
  if (failures.length > 0) {
    throw new Error(
      `${url}: ${failures.length} of ${total} requests failed: ${[...new Set(failures)].join(', ')}`,
    );
  }
  latencies.sort((a, b) => a - b);
  return {
    perSecond,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    refusedShare: refused / total,
  };
}

/** Reads of one path, of each player in turn. */
export function readRequests(path, sessions) {
  return sessions.map((session) => rawRequest('GET', path, playerHeaders(session)));
}

/** Batches of new events, made before the clock runs. */
export async function openLoopEvents({ api, sessions, batch, eventsPerSecond, seconds, mayRefuse }) {
  const perSecond = eventsPerSecond / batch;
  const run = `open-${Date.now()}`;
  const requests = Array.from({ length: Math.ceil(perSecond * seconds) }, (_, index) => {
    const headers = {
      ...playerHeaders(sessions[index % sessions.length]),
      'content-type': 'application/json',
    };
    return rawRequest('POST', '/v1/events', headers, eventsJson(run, index, batch));
  });
  return { ...(await openLoop({ url: api, requests, perSecond, seconds, mayRefuse })), eventsPerSecond };
}
