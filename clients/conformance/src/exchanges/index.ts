import type { Exchange } from '../exchange.js';
import { ACCOUNT } from './account.js';
import { COPIES } from './copies.js';
import { EVENTS } from './events.js';
import { FAILURES } from './failures.js';
import { LOGIN } from './login.js';
import { READS_OF_PLAYER } from './reads.js';
import { RESTARTS } from './restarts.js';
import { SESSIONS } from './sessions.js';

/** Every exchange, in the order in which the author of a client needs them. */
export const EXCHANGES: readonly Exchange[] = [
  ...LOGIN,
  ...SESSIONS,
  ...EVENTS,
  ...FAILURES,
  ...RESTARTS,
  ...COPIES,
  ...READS_OF_PLAYER,
  ...ACCOUNT,
];
