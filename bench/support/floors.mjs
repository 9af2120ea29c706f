import { findItem } from '../items.mjs';
import { measureItem } from './measure-item.mjs';
import { startFloor } from './service.mjs';
import { runWrk } from './wrk.mjs';

/** A server that only responds, with the same requests as the service. */
const bare = (kind) => async (playground, item, seconds) => {
  const {
    path,
    floorPath = path,
    batch = 1,
    script,
    env,
  } = await (item.floorLoad ?? item.load)(playground, seconds);
  const run = await runWrk({ url: playground.floor[kind] + floorPath, seconds, script, env });
  if (run.failed > 0) throw new Error(`${kind}: ${run.failed} of ${run.requests} requests failed`);
  // Against Fastify events are compared with events; node:http is the unit, so its requests count.
  return { ...run, perSecond: run.perSecond * (kind === 'fastify' ? batch : 1) };
};

/** Numbers of clients: as many as send logins at once, or a few that write in bulk. */
const postgres = (work, clients) => (playground, _item, seconds) =>
  startFloor('postgres.mjs', {
    DATABASE_URL: playground.databaseUrl,
    FLOOR_WORK: work,
    FLOOR_SECONDS: String(seconds),
    FLOOR_CLIENTS: String(clients),
    FLOOR_WORKERS: String(playground.workers),
  }).then(({ perSecond }) => ({ perSecond }));

const FLOORS = {
  fastify: bare('fastify'),
  http: bare('http'),
  commits: postgres('commits', 64),
  insert: postgres('insert', 8),
  copy: postgres('copy', 8),
};

/** Floors that get the requests of the item. The others do not depend on the item. */
const BARE = new Set(['fastify', 'http']);

/** The floor of this name, or the item: what real clients send is compared with its simplest form. */
function measureFloor(name, playground, item, seconds) {
  const sibling = findItem(name);
  if (sibling !== undefined) return measureItem(playground, sibling, seconds);
  return FLOORS[name](playground, item, seconds);
}

/**
 * Measures floors. `remembers`: a quick run takes the same floor once a round instead of beside each item.
 */
export function createFloors(playground, seconds, remembers) {
  const known = new Map();
  return async (name, item) => {
    const key = BARE.has(name) ? `${name}, ${item.floorItem ?? item.name}` : name;
    if (remembers && known.has(key)) return known.get(key);
    const floor = { name: key, ...(await measureFloor(name, playground, item, seconds)) };
    known.set(key, floor);
    return floor;
  };
}

/** Warms up the bare servers and the items that others are compared with; PostgreSQL is warm already. `warm`: what is warm so far. */
export async function warmUpFloors(playground, item, seconds, warm) {
  for (const name of Object.keys(item.targets)) {
    const isItem = findItem(name) !== undefined;
    if (!BARE.has(name) && !isItem) continue;
    if (!warm.has(name)) await measureFloor(name, playground, item, seconds);
    if (isItem) warm.add(name);
  }
}

/** JSON.parse, HMAC and ES256, each alone on one core. */
export async function measureOperations(seconds) {
  const {
    pid: _pid,
    stop: _stop,
    ...rates
  } = await startFloor('operations.mjs', {
    FLOOR_SECONDS: String(seconds),
  });
  return Object.entries(rates).map(([name, perSecond]) => ({ name, perSecond }));
}
