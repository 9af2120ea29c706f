import { floorPath } from '../support/floor-responses.mjs';
import { lua } from '../support/wrk.mjs';

const read = (name, path, document, targets) => ({
  name,
  unit: 'requests',
  targets,
  isRemembered: true,
  prepare: (playground) => playground.publish(document),
  load: ({ sessionsFile }) => ({
    path,
    floorPath: floorPath(path, document),
    script: lua('reads'),
    env: { BENCH_SESSIONS: sessionsFile },
  }),
});

// Against node:http: twice what Nakama's storage reads reached.
export const READS = [
  { ...read('status', '/v1/player/status', 'plain', { fastify: 0.7, http: 0.5 }), warmsUp: true },
  { ...read('store, 0 offers', '/v1/player/store_configs', 'plain', { fastify: 0.7 }), isLongRun: true },
  { ...read('segments, 8', '/v1/player/segments', 'plain', { fastify: undefined }), isLongRun: true },
  read('store, 50 offers', '/v1/player/store_configs', 'rich', { fastify: 0.7 }),
  { ...read('segments, 50', '/v1/player/segments', 'rich', { fastify: undefined }), isLongRun: true },
  read('predictions', '/v1/player/predictions', 'predicted', { fastify: 0.7 }),
  read('store, 50 offers on predictions', '/v1/player/store_configs', 'predicted', { fastify: 0.7 }),
];
