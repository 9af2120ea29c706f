// npm run bench -- compare --before FOLDER [--pairs 16] [--seconds 1] [--only mixed --only gzip] : is this checkout slower than another one?
// Both services run, and get the same work in turns of a second. The speed of a shared machine changes within a minute, so neighbouring
// turns are compared: the ratio of each pair, then the mean of all pairs. FOLDER is a checkout that was built (npm ci && npm run build).
// --only is a part of a name in the first column, and can be repeated.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { JSON_HEADERS, loginRequest, refreshRequest, refreshTokenIn } from './support/auth-requests.mjs';
import { makeDocument } from './support/config-document.mjs';
import { eventsJson } from './support/event-bodies.mjs';
import { rawRequest } from './support/raw-connection.mjs';
import { loginMany, playerHeaders, startService } from './support/service.mjs';
import { middle } from './support/statistics.mjs';
import { measureTurn, ratioCells } from './support/turns.mjs';

const { values } = parseArgs({
  options: {
    before: { type: 'string' },
    pairs: { type: 'string', default: '16' },
    seconds: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true, default: [''] },
  },
});
if (values.before === undefined) {
  console.error('Name the folder of the other checkout: npm run bench -- compare --before ../before');
  process.exit(1);
}
const PLAYERS = 200;
const seconds = Number(values.seconds);

/** Makes events of all batches new. */
let events = 10_000_000;
let devices = 0;

const read = (path) => ({
  requestOf: ({ sessions }, n) => rawRequest('GET', path, playerHeaders(sessions[n % PLAYERS])),
});
const login = (deviceOf) => ({ requestOf: (_, n) => loginRequest(deviceOf(n)) });
const newEvents = (size) => {
  events += size + 1;
  return eventsJson('compare', events, size);
};
const batch = (size) => ({
  requestOf({ sessions }, n) {
    const headers = { ...playerHeaders(sessions[n % PLAYERS]), ...JSON_HEADERS };
    return rawRequest('POST', '/v1/events', headers, newEvents(size));
  },
});
/** More bodies than can be served: compressing them during the measurement would slow down the generator. */
const gzipped = (size) => {
  let bodies;
  return {
    prepare() {
      const count = Math.ceil((100_000 / size) * seconds);
      bodies = Array.from({ length: count }, () => gzipSync(newEvents(size)));
    },
    requestOf({ sessions }, n) {
      const headers = {
        ...playerHeaders(sessions[n % PLAYERS]),
        ...JSON_HEADERS,
        'content-encoding': 'gzip',
      };
      return rawRequest('POST', '/v1/events', headers, bodies[n]);
    },
  };
};
const refresh = {
  requestOf: ({ sessions }, n) => refreshRequest(sessions[n % PLAYERS].refreshToken),
  onResponse({ sessions }, n, response) {
    sessions[n % PLAYERS].refreshToken = refreshTokenIn(response);
  },
};

const SESSION = [
  login((n) => `compare-${n % PLAYERS}`),
  read('/v1/player/status'),
  read('/v1/player/segments'),
  read('/v1/player/store_configs'),
];
const BATCHES = 20;
/** As of one session of a player: a login, reads, and batches of 15 events. */
const mixed = {
  isRich: true,
  requestOf(service, n) {
    const part = SESSION[n % (SESSION.length + BATCHES)] ?? batch(15);
    return part.requestOf(service, n);
  },
};

/** Those with `isRich` come last: they are measured with 50 segments and 50 offers. */
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
  'events, batch 50 gzip': gzipped(50),
  'events, batch 500 gzip': gzipped(500),
  'store, 50 offers': { ...read('/v1/player/store_configs'), isRich: true },
  'segments, 50': { ...read('/v1/player/segments'), isRich: true },
  mixed,
};
const wanted = Object.entries(WORK).filter(([name]) => values.only.some((part) => name.includes(part)));

const services = [];
try {
  for (const folder of [resolve(values.before), resolve(import.meta.dirname, '..')]) {
    const savepoint = join(folder, 'server/bin/savepoint.mjs');
    const service = { ...(await startService({ SAVEPOINT_TRAINING_DAYS: '0' }, savepoint)), savepoint };
    services.push(service);
    service.sessions = await loginMany(service.api, PLAYERS, 'compare');
  }
  const [before, after] = services;
  for (const [, work] of wanted) for (const service of services) await measureTurn(service, work, seconds);
  console.log(
    '| work | before, per second | after | after / before | 95 % | CPU of the service for each request, before / after | 95 % |\n|---|---|---|---|---|---|---|',
  );
  let isRich = false;
  for (const [name, work] of wanted) {
    const pairs = [];
    if (work.isRich && !isRich) {
      for (const service of services) await publishRich(service);
      isRich = true;
    }
    for (let pair = 0; pair < Number(values.pairs); pair++) {
      const inTurn = pair % 2 === 0 ? [before, after] : [after, before];
      const turns = new Map();
      for (const service of inTurn) turns.set(service, await measureTurn(service, work, seconds));
      pairs.push({ before: turns.get(before), after: turns.get(after) });
    }
    const cells = [
      name,
      middle(pairs.map((pair) => pair.before.rate)).toFixed(0),
      middle(pairs.map((pair) => pair.after.rate)).toFixed(0),
      ...ratioCells(pairs.map((pair) => pair.after.rate / pair.before.rate)),
      ...ratioCells(pairs.map((pair) => pair.before.cpuMs / pair.after.cpuMs)),
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
} finally {
  for (const service of services) {
    await service.stop();
    await service.remove();
  }
}

/** By the command of each checkout. A checkout from before the predictions has no place for them in its documents. */
async function publishRich({ savepoint, dataDir }) {
  const { predictions: _, ...document } = makeDocument({ segments: 50, offers: 50 });
  const file = join(dataDir, 'rich.json');
  await writeFile(file, JSON.stringify(document));
  const game = ['--tenant', 'demo-studio', '--game', 'demo-game'];
  const env = { ...process.env, SAVEPOINT_ENV: 'development', SAVEPOINT_DATA_DIR: dataDir };
  await promisify(execFile)(process.execPath, [savepoint, 'config', 'publish', ...game, '--file', file], {
    env,
  });
}
