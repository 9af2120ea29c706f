import type { Clock } from '../../lib/clock.js';
import type { Shedding } from '../../overload/shedding.js';
import type { Settings } from '../../settings/settings.js';
import type { Decisions } from './decisions.js';

/** What the routes of the player API need of the process. */
export type PlayerContext = Readonly<{
  settings: Pick<Settings, 'maxWaitMs'>;
  clock: Clock;
  decisions: Decisions;
  shedding: Shedding;
}>;
