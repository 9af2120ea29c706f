import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventsJson } from './event-bodies.mjs';
import { loginBody, playerHeaders } from './service.mjs';

const READS = [
  '/v1/player/status',
  '/v1/player/store_configs',
  '/v1/player/segments',
  '/v1/player/predictions',
];
const BATCHES = [1, 15, 20, 50, 500];
/** What Node adds to every response itself. */
const OF_NODE = new Set(['connection', 'content-length', 'date', 'keep-alive']);

/** Sends the service every request of the benchmark, and stores the responses: the bare servers return the same bytes. */
export async function createFloorResponses({ api, session, publish, folder }) {
  const responses = {};
  const ask = async (name, path, init) => {
    const response = await fetch(api + path, init);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    const sent = [...response.headers].filter(([header]) => !OF_NODE.has(header));
    responses[name] = {
      status: response.status,
      headers: Object.fromEntries(sent),
      body: await response.text(),
    };
  };
  const headers = playerHeaders(session);
  const post = (body, more = {}) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json', ...more },
    body,
  });

  for (const document of ['predicted', 'rich', 'plain']) {
    await publish(document);
    for (const path of READS) await ask(`GET ${floorPath(path, document)}`, path, { headers });
  }
  await ask('POST /auth/login', '/auth/login', post(loginBody('known-0')));
  for (const batch of BATCHES) {
    const body = eventsJson(`floor-${Date.now()}`, batch, batch);
    await ask(`POST ${floorPath('/v1/events', batch)}`, '/v1/events', post(body, headers));
  }
  // The mixed load is sent to the real paths.
  for (const path of READS) responses[`GET ${path}`] = responses[`GET ${floorPath(path, 'rich')}`];
  responses['POST /v1/events'] = responses[`POST ${floorPath('/v1/events', 15)}`];

  const file = join(folder, `floor-responses-${Date.now()}.json`);
  await writeFile(file, JSON.stringify(responses));
  return file;
}

/** The path at which a bare server returns what the service returns at `path` in one situation, such as a document. */
export const floorPath = (path, situation) => `${path}/${situation}`;
