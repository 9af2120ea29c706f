import { clients, direct, oneWorker } from './sections/direct.mjs';
import { growth } from './sections/growth.mjs';
import { hotPlayer } from './sections/hot-player.mjs';
import { jetstream } from './sections/jetstream.mjs';
import { latency } from './sections/latency.mjs';
import { memory } from './sections/memory.mjs';
import { overload } from './sections/overload.mjs';
import { past } from './sections/past.mjs';
import { retention } from './sections/retention.mjs';
import { simulator } from './sections/simulator.mjs';
import { start } from './sections/start.mjs';
import { storage } from './sections/storage.mjs';

/** All that is measured, in this order: the last one deletes events. */
export const SECTIONS = [
  direct,
  clients,
  simulator,
  hotPlayer,
  storage,
  oneWorker,
  jetstream,
  latency,
  overload,
  start,
  memory,
  growth,
  past,
  retention,
];
