import { randomEvents } from '../items/clients.mjs';
import { checkpoint } from './checkpoint.mjs';

const STRETCH_SECONDS = 10;
/** The events that this function has sent; events of measurements are not spread over a week. */
const filled = new WeakMap();

/**
 * Sends events of random players, spread over the last week, until at least `target` events are stored: plain, named and, where they
 * are measured, sequenced ones in turn. They go through the service, so that everything it stores with an event is there. What is measured
 * next begins right after a checkpoint.
 */
export async function fillEvents(playground, target, { sequenced }) {
  const kinds = ['plain', 'named', ...(sequenced ? ['sequenced'] : [])];
  let stored = filled.get(playground) ?? 0;
  let perSecond = 0;
  for (let turn = 0; stored < target; turn++) {
    const kind = kinds[turn % kinds.length];
    // The rate of the first stretch decides how long the others may be.
    const needed = Math.ceil((target - stored) / Math.max(1, perSecond));
    const seconds = perSecond === 0 ? 1 : Math.min(STRETCH_SECONDS, needed);
    const { load } = randomEvents('fill', { kind, age: 'week', batch: 50 }, {});
    const before = await playground.storedEvents();
    ({ perSecond } = await playground.measure(await load(playground, seconds), seconds));
    stored += (await playground.storedEvents()) - before;
    filled.set(playground, stored);
    process.stderr.write(
      `\rstored ${(stored / 1e6).toFixed(2)} of ${(target / 1e6).toFixed(2)} million ${stored < target ? '' : '\n'}`,
    );
  }
  // As autovacuum leaves tables that fill over days. Otherwise autovacuum would start during the measurement.
  await playground.database.query('vacuum (analyze)');
  await checkpoint(playground.database);
}
