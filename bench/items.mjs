import { fileURLToPath } from 'node:url';
import { startFloor } from './support/service.mjs';
import { runWrk } from './support/wrk.mjs';

const lua = (name) => fileURLToPath(new URL(`./lua/${name}.lua`, import.meta.url));

/** What is measured, against which floor, and the ratio we want to reach. */
export function createItems(playground, seconds) {
  const { floor, sessionsFile, databaseUrl, workers } = playground;

  const read = (name, path, target) => ({
    name,
    target,
    floor: () => runWrk({ url: floor.fastify + path, seconds }),
    work: () =>
      playground.measure(path, { seconds, script: lua('reads'), env: { BENCH_SESSIONS: sessionsFile } }),
  });

  const rawCommits = () =>
    startFloor('postgres.mjs', {
      DATABASE_URL: databaseUrl,
      FLOOR_WORK: 'commits',
      FLOOR_SECONDS: String(seconds),
      FLOOR_WORKERS: String(workers),
    });

  // More logins than a run can send: a device must not come twice where it has to be new.
  const loginWork = (kind) => async () => {
    const file = await playground.writeLogins(kind, kind === 'known' ? 2_000 : seconds * 8_000);
    return playground.measure('/auth/login', { seconds, script: lua('bodies'), env: { BENCH_BODIES: file } });
  };

  const bareHttp = async () => {
    const file = await playground.writeLogins('known', 2_000);
    return runWrk({
      url: `${floor.http}/auth/login`,
      seconds,
      script: lua('bodies'),
      env: { BENCH_BODIES: file },
    });
  };

  const events = (batch) => {
    const env = { BENCH_SESSIONS: sessionsFile, BENCH_BATCH: String(batch), BENCH_RUN: String(Date.now()) };
    const perEvent = (run) => ({ ...run, perSecond: run.perSecond * batch });
    return {
      work: async () =>
        perEvent(
          await playground.measure('/v1/events', {
            seconds,
            script: lua('events'),
            env: { ...env, BENCH_RUN: String(Date.now()) },
          }),
        ),
      fastify: async () =>
        perEvent(await runWrk({ url: `${floor.fastify}/v1/events`, seconds, script: lua('events'), env })),
    };
  };

  const rawEvents = async () => {
    const run = await startFloor('postgres.mjs', {
      DATABASE_URL: databaseUrl,
      FLOOR_WORK: 'events50',
      FLOOR_SECONDS: String(seconds),
      FLOOR_CLIENTS: '8',
      FLOOR_WORKERS: String(workers),
    });
    return { perSecond: run.perSecond * 50 };
  };

  return [
    read('status', '/v1/player/status', 0.7),
    read('store', '/v1/player/store_configs', 0.7),
    read('segments', '/v1/player/segments', 0.7),
    { name: 'returning login/commits', target: 0.5, floor: rawCommits, work: loginWork('known') },
    { name: 'first login/commits', target: 0.4, floor: rawCommits, work: loginWork('new') },
    { name: 'returning login/http', target: 0.2, floor: bareHttp, work: loginWork('known') },
    { name: 'first login/http', target: 0.15, floor: bareHttp, work: loginWork('new') },
    { name: 'events 1/fastify', target: 0.35, floor: events(1).fastify, work: events(1).work },
    { name: 'events 20/insert', target: undefined, floor: rawEvents, work: events(20).work },
    { name: 'events 50/insert', target: 0.5, floor: rawEvents, work: events(50).work },
    { name: 'events 500/insert', target: undefined, floor: rawEvents, work: events(500).work },
  ];
}
