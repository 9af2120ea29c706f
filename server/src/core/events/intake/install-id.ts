import { EVENT_LIMITS } from './limits.js';

/** An id that a client made for one installation of itself. */
export const INSTALL_ID = new RegExp(`^[\\x21-\\x7e]{1,${EVENT_LIMITS.maxInstallIdLength}}$`);
