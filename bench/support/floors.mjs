import { startFloor } from './service.mjs';
import { runWrk } from './wrk.mjs';

/** A server that does nothing but answer, under the very requests that the service is sent. */
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

/** Clients as the service has them: as many as it is sent logins at once, or a few that write in bulk. */
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

/** The raw floors do not depend on what is compared with them. */
const INDEPENDENT = new Set(['commits', 'insert', 'copy']);

/**
 * Measures floors. `remembers`: a quick run takes the same floor once a round instead of beside each item.
 */
export function createFloors(playground, seconds, remembers) {
  const known = new Map();
  return async (name, item) => {
    const key = INDEPENDENT.has(name) ? name : `${name}, ${item.floorItem ?? item.name}`;
    if (remembers && known.has(key)) return known.get(key);
    const floor = { name: key, ...(await FLOORS[name](playground, item, seconds)) };
    known.set(key, floor);
    return floor;
  };
}

/** The bare servers are warm, too; PostgreSQL is. */
export async function warmUpFloors(playground, item, seconds) {
  for (const name of Object.keys(item.targets)) {
    if (!INDEPENDENT.has(name)) await FLOORS[name](playground, item, seconds);
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
