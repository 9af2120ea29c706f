import { lua } from '../support/wrk.mjs';
import { eventLoad, events } from './events.mjs';

/** More requests than can be served in a second: each drawn player comes once. */
const READS_A_SECOND = 10_000;
const LOGINS_A_SECOND = 6_000;
const BATCHES_A_SECOND = { 1: 6_000, 50: 3_000 };

/** Events of players drawn at random from all that are stored. For a bare server it does not matter which players send them. */
export const randomEvents = (name, what, targets) => ({
  ...events(name, what, targets),
  floorLoad: events(name, what, targets).load,
  load: async (playground, seconds) => {
    const crowd = await playground.crowd();
    const drawn = crowd.draw(BATCHES_A_SECOND[what.batch] * seconds);
    const env = { BENCH_SESSIONS: await playground.files.sessions(drawn), BENCH_ONCE: '1' };
    return { ...eventLoad(what, env), onEnd: ({ used }) => crowd.haveSent(drawn, used, what.batch) };
  },
});

/** Reads of players whom the service has not cached: each comes once. */
export const randomReads = (name, path, document, targets) => ({
  name,
  unit: 'requests',
  targets,
  prepare: (playground) => playground.publish(document),
  floorLoad: ({ sessionsFile }) => ({ path, script: lua('reads'), env: { BENCH_SESSIONS: sessionsFile } }),
  load: async ({ crowd, files }, seconds) => ({
    path,
    script: lua('reads'),
    env: {
      BENCH_SESSIONS: await files.sessions((await crowd()).draw(READS_A_SECOND * seconds)),
      BENCH_ONCE: '1',
    },
  }),
});

export const randomLogins = (name, targets) => ({
  name,
  unit: 'requests',
  targets,
  prepare: (playground) => playground.publish('plain'),
  load: async ({ crowd, files }, seconds) => ({
    path: '/auth/login',
    script: lua('bodies'),
    env: {
      BENCH_BODIES: await files.loginsOf((await crowd()).drawDevices(LOGINS_A_SECOND * seconds)),
    },
  }),
});

/** What real clients send, each with the plain row that it is compared with. */
export const CLIENTS = [
  events('named events', { kind: 'named', batch: 1 }, { 'events, batch 1': 0.9 }),
  events('named events', { kind: 'named', batch: 50 }, { 'events, batch 50': 0.95 }),
  {
    ...events(
      'sequenced events',
      { kind: 'sequenced', batch: 1 },
      { 'events, batch 1': undefined, fastify: 0.5 },
    ),
    isSequenced: true,
  },
  {
    ...events(
      'sequenced events',
      { kind: 'sequenced', batch: 50 },
      { 'events, batch 50': undefined, copy: 0.7 },
    ),
    isSequenced: true,
    orPerSecond: 80_000,
  },
  events('purchases', { kind: 'purchases', batch: 1 }, { 'events, batch 1': undefined }),
  events('twenty event types', { kind: 'types', batch: 50 }, { 'events, batch 50': undefined }),
  {
    ...events('late events', { age: 'late', batch: 50 }, { 'events, batch 50': undefined }),
    isLongRun: true,
  },
  {
    ...events('large events, 10 to 30 kB', { kind: 'large', batch: 1 }, { fastify: undefined }),
    isLongRun: true,
  },
  {
    ...randomEvents('events of random players', { batch: 1 }, { 'events, batch 1': undefined }),
    isLongRun: true,
  },
  {
    ...randomEvents('events of random players', { batch: 50 }, { 'events, batch 50': undefined }),
    isLongRun: true,
  },
  randomReads('status of random players', '/v1/player/status', 'plain', { status: undefined }),
  {
    ...randomReads('store, 50 offers, of random players', '/v1/player/store_configs', 'rich', {
      'store, 50 offers': undefined,
    }),
    isLongRun: true,
  },
  {
    ...randomLogins('returning login of random players', { 'returning login': undefined }),
    isLongRun: true,
  },
];
