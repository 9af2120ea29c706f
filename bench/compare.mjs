// npm run bench:compare -- --before FOLDER [--pairs 16] [--seconds 1] : is this checkout slower than another one? Both services run, and get the same
// work in turns of a second. The speed of a shared machine changes within a minute, so neighbouring turns are compared: the ratio of each
// pair, then the mean of all pairs. FOLDER is a checkout that was built (npm ci && npm run build).
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { JSON_HEADERS, loginRequest, refreshRequest, refreshTokenIn } from './support/auth-requests.mjs';
import { closedLoop } from './support/closed-loop.mjs';
import { eventsJson } from './support/event-bodies.mjs';
import { rawRequest } from './support/raw-connection.mjs';
import { loginMany, playerHeaders, startService } from './support/service.mjs';
import { middle } from './support/statistics.mjs';

const { values } = parseArgs({
  options: {
    before: { type: 'string' },
    pairs: { type: 'string', default: '16' },
    seconds: { type: 'string', default: '1' },
  },
});
if (values.before === undefined) {
  console.error('Name the folder of the other checkout: npm run bench:compare -- --before ../before');
  process.exit(1);
}
const PLAYERS = 200;
const CONNECTIONS = 32;

/** Makes events of all batches new. */
let events = 10_000_000;
let devices = 0;

const read = (path) => ({
  requestOf: ({ sessions }, n) => rawRequest('GET', path, playerHeaders(sessions[n % PLAYERS])),
});
const login = (deviceOf) => ({ requestOf: (_, n) => loginRequest(deviceOf(n)) });
const batch = (size) => ({
  requestOf({ sessions }, n) {
    events += size + 1;
    const headers = { ...playerHeaders(sessions[n % PLAYERS]), ...JSON_HEADERS };
    return rawRequest('POST', '/v1/events', headers, eventsJson('compare', events, size));
  },
});
const refresh = {
  requestOf: ({ sessions }, n) => refreshRequest(sessions[n % PLAYERS].refreshToken),
  onResponse({ sessions }, n, response) {
    sessions[n % PLAYERS].refreshToken = refreshTokenIn(response);
  },
};

const SESSION = [
  login((n) => `compare-${n % PLAYERS}`),
  read('/v1/player/status'),
  read('/v1/player/store_configs'),
];
const BATCHES = 20;
/** As of one session of a player: a login, reads, and batches of 15 events. */
const mixed = {
  requestOf(service, n) {
    const part = SESSION[n % (SESSION.length + BATCHES)] ?? batch(15);
    return part.requestOf(service, n);
  },
};

const WORK = {
  status: read('/v1/player/status'),
  store: read('/v1/player/store_configs'),
  segments: read('/v1/player/segments'),
  'returning login': login((n) => `compare-${n % PLAYERS}`),
  'first login': login(() => `new-${devices++}`),
  refresh,
  'events, batch 1': batch(1),
  'events, batch 20': batch(20),
  'events, batch 50': batch(50),
  'events, batch 500': batch(500),
  mixed,
};

const services = [];
try {
  for (const folder of [resolve(values.before), resolve(import.meta.dirname, '..')]) {
    const service = await startService({}, join(folder, 'server/bin/savepoint.mjs'));
    services.push(service);
    service.sessions = await loginMany(service.api, PLAYERS, 'compare');
  }
  const [before, after] = services;
  for (const work of Object.values(WORK)) for (const service of services) await rateOf(service, work);
  console.log('| work | before, per second | after | after / before | 95 % |\n|---|---|---|---|---|');
  for (const [name, work] of Object.entries(WORK)) {
    const pairs = [];
    for (let pair = 0; pair < Number(values.pairs); pair++) {
      const inTurn = pair % 2 === 0 ? [before, after] : [after, before];
      const rates = new Map();
      for (const service of inTurn) rates.set(service, await rateOf(service, work));
      pairs.push({ before: rates.get(before), after: rates.get(after) });
    }
    const { mean, low, high } = ratioOf(pairs.map((pair) => pair.after / pair.before));
    const cells = [
      name,
      middle(pairs.map((pair) => pair.before)).toFixed(0),
      middle(pairs.map((pair) => pair.after)).toFixed(0),
      mean.toFixed(2),
      `${low.toFixed(2)}–${high.toFixed(2)}`,
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
} finally {
  for (const service of services) {
    await service.stop();
    await service.remove();
  }
}

async function rateOf(service, { requestOf, onResponse }) {
  const seconds = Number(values.seconds);
  const { requests } = await closedLoop({
    url: service.api,
    requestOf: (n) => requestOf(service, n),
    onResponse: (n, response) => onResponse?.(service, n, response),
    connections: CONNECTIONS,
    seconds,
  });
  return requests / seconds;
}

/** The geometric mean, and the interval that contains the true one in 95 of 100 cases. */
function ratioOf(ratios) {
  const logs = ratios.map(Math.log);
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (logs.length - 1);
  const margin = 1.96 * Math.sqrt(variance / logs.length);
  return { mean: Math.exp(mean), low: Math.exp(mean - margin), high: Math.exp(mean + margin) };
}
