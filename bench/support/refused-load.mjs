import { eventsJson } from './event-bodies.mjs';
import { openRawConnection, rawRequest } from './raw-connection.mjs';
import { playerHeaders } from './service.mjs';
import { percentile } from './statistics.mjs';

/** Connections that are opened at a time: the backlog of a listening socket is 511. */
const OPENED_AT_ONCE = 200;
/** A placeholder. Each request overwrites it with a number of the same length, so that all events are new. */
const PLACE = 12_345_678;
/** A response that has not come by then is counted as lost. */
const TIMEOUT_MS = 15_000;

/**
 * Batches of new events on this many connections. Each of them sends its next one a random time after a response; if it is
 * patient, it waits as long as a refusal asks. Unlike wrk, it separates the latencies of accepted and refused batches.
 */
export async function runRefusedLoad({ api, sessions, batch, connections, seconds, perSecond, isPatient }) {
  const templates = sessions.map((session) => template(session, batch));
  const longestPauseMs = perSecond === undefined ? 0 : (2000 * connections) / perSecond;
  const opened = [];
  const responses = { accepted: [], refused: [], failed: [] };
  let number = PLACE;
  const begun = performance.now();
  const endMs = begun + seconds * 1000;

  const sendOn = (connection) =>
    new Promise((resolve) => {
      /** A batch that was refused is sent again unchanged, as the API asks. It also costs the generator less than a new one. */
      let batchToSend;
      const pauseThenSend = () => setTimeout(send, Math.random() * longestPauseMs);
      const send = () => {
        const sentAt = performance.now();
        if (sentAt >= endMs) return resolve();
        batchToSend ??= numbered(templates[number % templates.length], ++number);
        connection.send(batchToSend, (status, response) => {
          const now = performance.now();
          if (now < endMs) responses[kindOf(status)].push(now - sentAt);
          if (status === 0) return resolve();
          if (status === 202) batchToSend = undefined;
          if (status === 503 && isPatient) return setTimeout(send, waitOf(response));
          return longestPauseMs === 0 ? send() : pauseThenSend();
        });
      };
      pauseThenSend();
    });
  const timedOut = new Promise((resolve) => setTimeout(resolve, seconds * 1000 + TIMEOUT_MS));
  // Each sends as soon as it is open: the service closes connections that send nothing for ten seconds.
  const sent = [];
  for await (const connection of openAll(api, connections)) {
    opened.push(connection);
    sent.push(sendOn(connection));
  }
  await Promise.race([Promise.all(sent), timedOut]);
  for (const connection of opened) connection.close();
  if (responses.failed.length > 0) throw new Error(`${responses.failed.length} batches failed`);
  return { accepted: latenciesOf(responses.accepted), refused: latenciesOf(responses.refused) };
}

function kindOf(status) {
  if (status === 202) return 'accepted';
  return status === 503 ? 'refused' : 'failed';
}

/** As the client library waits: the seconds of the response, and a part of another one at random. */
function waitOf(response) {
  const seconds = Number(/retry-after: (\d+)/i.exec(Buffer.concat(response).toString('latin1'))[1]);
  return 1000 * (seconds + Math.random());
}

function latenciesOf(values) {
  const sorted = values.sort((a, b) => a - b);
  return { count: sorted.length, p50Ms: percentile(sorted, 0.5), p99Ms: percentile(sorted, 0.99) };
}

async function* openAll(api, connections) {
  const { hostname, port } = new URL(api);
  for (let opened = 0; opened < connections; opened += OPENED_AT_ONCE) {
    const count = Math.min(OPENED_AT_ONCE, connections - opened);
    const open = () => openRawConnection(hostname, Number(port));
    yield* await Promise.all(Array.from({ length: count }, open));
  }
}

/** A request, and the offsets of the number in it. */
function template(session, batch) {
  const headers = { ...playerHeaders(session), 'content-type': 'application/json' };
  const bytes = rawRequest('POST', '/v1/events', headers, eventsJson('overload', PLACE, batch));
  const places = [];
  for (let at = bytes.indexOf(`ad-${PLACE}`); at !== -1; at = bytes.indexOf(`ad-${PLACE}`, at + 1)) {
    places.push(at + 'ad-'.length);
  }
  return { bytes, places };
}

function numbered({ bytes, places }, number) {
  const copy = Buffer.from(bytes);
  const text = String(number);
  for (const at of places) copy.latin1Write(text, at);
  return copy;
}
