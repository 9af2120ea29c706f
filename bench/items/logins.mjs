import { lua } from '../support/wrk.mjs';

/** More logins than a second can take: a device must not come twice where it has to be new. */
const NEW_A_SECOND = 10_000;
const KNOWN = 2_000;

const login = (name, kind, targets) => ({
  name,
  /** What bare servers are sent is the same for both. */
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
