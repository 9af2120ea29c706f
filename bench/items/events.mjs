import { floorPath } from '../support/floor-responses.mjs';
import { lua } from '../support/wrk.mjs';

/** More compressed bodies than can be served in a second: each is sent once. */
const bodiesASecond = (batch) => Math.ceil(Math.min(8_000, 80_000 / batch));

/** The load of wrk with batches of one kind (lua/event-kinds.lua) and one age (lua/events.lua). */
export const eventLoad = ({ kind = 'plain', age = 'now', batch }, env) => ({
  path: '/v1/events',
  floorPath: floorPath('/v1/events', batch),
  batch,
  eventsPerRequest: batch,
  script: lua('events'),
  env: {
    BENCH_KIND: kind,
    BENCH_AGE: age,
    BENCH_BATCH: String(batch),
    BENCH_RUN: String(Date.now()),
    ...env,
  },
});

/** Events of the players who are logged in, one after the other. */
export const events = (name, what, targets) => ({
  name: `${name}, batch ${what.batch}`,
  unit: 'events',
  targets,
  load: ({ sessionsFile }) => eventLoad(what, { BENCH_SESSIONS: sessionsFile }),
});

const plain = (batch, targets) => events('events', { batch }, targets);

const gzipped = (batch, targets) => ({
  name: `events, batch ${batch} gzip`,
  unit: 'events',
  targets,
  load: async ({ sessionsFile, files }, seconds) => ({
    path: '/v1/events',
    batch,
    eventsPerRequest: batch,
    script: lua('gzip'),
    env: {
      BENCH_SESSIONS: sessionsFile,
      BENCH_BODIES: await files.gzippedEvents(batch, bodiesASecond(batch) * seconds),
    },
  }),
});

/** One session of a player: 1 login, 3 reads, 20 batches of 15 events. */
const MIXED = {
  name: 'mixed, a real game',
  unit: 'requests',
  targets: { fastify: undefined },
  prepare: (playground) => playground.publish('rich'),
  load: async ({ sessionsFile, sessions, files }) => ({
    path: '/',
    eventsPerRequest: 300 / 24,
    // A run may stop in the middle of a session.
    leastEvents: (300 / 24) * 0.95,
    script: lua('mixed'),
    env: {
      BENCH_SESSIONS: sessionsFile,
      BENCH_BODIES: await files.logins('known', sessions.length),
      BENCH_RUN: String(Date.now()),
    },
  }),
};

// Against node:http: twice what Nakama's committed writes of 50 reached, in events for each bare request.
export const EVENTS = [
  plain(1, { fastify: 0.35 }),
  { ...plain(20, { insert: undefined }), isLongRun: true },
  { ...plain(50, { insert: 0.5, http: 1.56 }), warmsUp: true },
  plain(500, { insert: undefined, copy: undefined }),
  // A bare Fastify takes no gzip: it is sent the plain ones.
  {
    ...gzipped(1, { fastify: undefined }),
    floorItem: 'events, batch 1',
    floorLoad: plain(1, {}).load,
    isLongRun: true,
  },
  { ...gzipped(20, { insert: undefined }), isLongRun: true },
  { ...gzipped(50, { insert: undefined }), isLongRun: true },
  { ...gzipped(500, { insert: undefined }), isLongRun: true },
  MIXED,
];
