import type { Clock } from '../../platform/lib/clock.js';
import type { Shedding } from '../../platform/overload/shedding.js';
import type { Settings } from '../../platform/settings/settings.js';
import type { Decisions } from './decisions.js';

/** What the routes of the player API need of the process. */
export type PlayerContext = Readonly<{
  settings: Pick<Settings, 'maxWaitMs'>;
  clock: Clock;
  decisions: Decisions;
  shedding: Shedding;
}>;
