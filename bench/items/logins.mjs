import { lua } from '../support/wrk.mjs';

/** More logins than can be served in a second: a device that has to be new must not come twice. */
const NEW_A_SECOND = 10_000;
const KNOWN = 2_000;

const login = (name, kind, targets) => ({
  name,
  /** Bare servers get the same requests for both. */
  floorItem: 'login',
  unit: 'requests',
  targets,
  prepare: (playground) => playground.publish('plain'),
  load: async ({ files }, seconds) => ({
    path: '/auth/login',
    script: lua('bodies'),
    env: { BENCH_BODIES: await files.logins(kind, kind === 'known' ? KNOWN : NEW_A_SECOND * seconds) },
  }),
});

// Against node:http: twice what Nakama reached.
export const LOGINS = [
  { ...login('returning login', 'known', { commits: 0.5, http: 0.4 }), warmsUp: true },
  login('first login', 'new', { commits: 0.4, http: 0.2 }),
  {
    name: 'refresh',
    unit: 'requests',
    isLongRun: true,
    targets: { commits: undefined },
    prepare: (playground) => playground.publish('plain'),
    load: async ({ files }, seconds) => ({
      path: '/auth/refresh',
      script: lua('refresh'),
      env: { BENCH_TOKENS: await files.refreshTokens(seconds) },
    }),
  },
];
