import { openLoopEvents } from '../support/open-loop.mjs';
import { isWanted } from '../support/options.mjs';
import { cpuSplitOf } from '../support/processes.mjs';
import { runRefusedLoad } from '../support/refused-load.mjs';
import { loginMany } from '../support/service.mjs';

const BATCH = 50;
const TIMES_CAPACITY = 10;
/** The generator, and the service on the other side, need as many open files. */
const CONNECTIONS = { patient: 8_000, impatient: 640 };
/** Of patient clients: they are the measure. What impatient ones leave of the capacity has no target. */
const SMALLEST_GOODPUT = 0.75;
const LARGEST_P99_SECONDS = 1;
/** One player, as many connections, and the largest batches. */
const FLOOD = { connections: 100, batch: 500 };
/** So few that they are no load themselves. */
const HONEST_EVENTS_PER_SECOND = 1_000;
const CAPACITY = { connections: 64 };

const IMPATIENT_NAME = `ten times the capacity on ${CONNECTIONS.impatient} connections`;
const PATIENT_NAME = 'clients that wait for Retry-After';
const HOT_NAME = 'clients that ignore Retry-After';
const FLOOD_NAME = 'events of others while one player floods';

/** With overload protection as users run it: this section measures refusals. */
const SETTINGS = { SAVEPOINT_MAX_WAIT_MS: '500' };

/** More events than can be stored: how many are stored, how long these take, and how much one player's flood slows down others. */
export const overload = {
  name: 'overload',
  parts: [PATIENT_NAME, IMPATIENT_NAME, HOT_NAME, FLOOD_NAME],
  run: (options, playgrounds) =>
    playgrounds.with({ ...options, settings: SETTINGS }, async (playground) => {
      const samples = [];
      const limits = new Map();
      const note = (name, unit, value, limit) => {
        const row = limits.get(name) ?? { name, unit, values: [], limit };
        row.values.push(value);
        limits.set(name, row);
      };
      const isPart = (part) => isWanted(options, overload.name, part);
      await refusing(playground, { ...CAPACITY, seconds: options.seconds });
      for (let round = 1; round <= options.rounds; round++) {
        for (const load of loadsOf(isPart).slice(0, options.quick ? 1 : undefined)) {
          const sample = await measureOverload(playground, load, options.seconds);
          const { work } = sample;
          samples.push({ round, ...sample });
          note(`${load.name}: p99 of accepted batches`, 's', work.p99Ms / 1000, load.largestP99Seconds);
          note(`${load.name}: refused`, '% of requests', (100 * work.refused) / work.requests);
          note(`${load.name}: p99 of refused batches`, 's', work.refusedP99Ms / 1000);
          console.log(
            `round ${round}/${options.rounds}  ${load.name.padEnd(45)} goodput ${sample.ratio.toFixed(2)} of ${sample.floor.perSecond.toFixed(0)} events/s  ${work.offeredPerSecond.toFixed(0)} requests/s, ${((100 * work.refused) / work.requests).toFixed(0)}% refused  accepted: p50 ${work.p50Ms.toFixed(0)} ms, p99 ${work.p99Ms.toFixed(0)} ms; refused: p99 ${work.refusedP99Ms.toFixed(0)} ms`,
          );
        }
        if (options.quick || !isPart(FLOOD_NAME)) continue;
        const { alone, beside } = await measureFlood(playground, options.seconds);
        note(`${FLOOD_NAME}, p99`, 'ms', beside.p99Ms);
        note(`${FLOOD_NAME}, p99 without the flood`, 'ms', alone.p99Ms);
        note(`${FLOOD_NAME}, refused`, '% of requests', 100 * beside.refusedShare);
        console.log(
          `round ${round}/${options.rounds}  ${FLOOD_NAME.padEnd(45)} p50 ${beside.p50Ms.toFixed(0)} ms, p99 ${beside.p99Ms.toFixed(0)} ms, ${(100 * beside.refusedShare).toFixed(1)}% refused; without it ${alone.p50Ms.toFixed(0)} and ${alone.p99Ms.toFixed(0)} ms`,
        );
      }
      return { samples, limits: [...limits.values()] };
    }),
};

function loadsOf(isPart) {
  // The patient ones first: the service tells its clients longer waits for half a minute after those that are not.
  return [
    {
      name: PATIENT_NAME,
      connections: CONNECTIONS.patient,
      target: SMALLEST_GOODPUT,
      largestP99Seconds: LARGEST_P99_SECONDS,
      isPaced: true,
      isPatient: true,
    },
    { name: IMPATIENT_NAME, connections: CONNECTIONS.impatient, isPaced: true },
    // Clients in a closed loop without waits send as fast as the machine allows.
    { name: HOT_NAME, connections: CONNECTIONS.impatient, isPaced: false },
  ].filter(({ name }) => isPart(name));
}

/** Runs right after the capacity is measured in a closed loop; on a busy machine some of those requests are refused, too. */
async function measureOverload(playground, { name, connections, target, isPaced, isPatient }, seconds) {
  const capacity = await refusing(playground, { ...CAPACITY, seconds });
  const rate = (TIMES_CAPACITY * capacity.perSecond) / BATCH;
  const work = await refusing(playground, {
    connections,
    seconds: seconds * 2,
    perSecond: isPaced ? rate : undefined,
    isPatient,
  });
  return {
    name,
    unit: 'events',
    floorName: 'capacity',
    target,
    ratio: work.perSecond / capacity.perSecond,
    floor: capacity,
    work,
  };
}

/** A load of which some may be refused. */
async function refusing({ service, sessions }, { batch = BATCH, seconds, ...load }) {
  const before = cpuSplitOf(service.pid);
  const run = await runRefusedLoad({
    api: service.api,
    sessions,
    batch,
    seconds,
    ...load,
  });
  const after = cpuSplitOf(service.pid);
  const events = run.accepted.count * batch;
  const requests = run.accepted.count + run.refused.count;
  return {
    requests,
    refused: run.refused.count,
    offeredPerSecond: requests / seconds,
    perSecond: events / seconds,
    p50Ms: run.accepted.p50Ms,
    p99Ms: run.accepted.p99Ms,
    refusedP99Ms: run.refused.count === 0 ? 0 : run.refused.p99Ms,
    serviceCpuMicros: ((after.serviceMs - before.serviceMs) * 1000) / events,
    postgresCpuMicros: ((after.postgresMs - before.postgresMs) * 1000) / events,
  };
}

async function measureFlood(playground, seconds) {
  const { service, sessions } = playground;
  const honest = () =>
    openLoopEvents({
      api: service.api,
      sessions,
      batch: BATCH,
      eventsPerSecond: HONEST_EVENTS_PER_SECOND,
      seconds,
      mayRefuse: true,
    });
  const [flooder] = await loginMany(service.api, 1, 'flooder');
  const alone = await honest();
  // Both at once, so that the error of the one that fails first is shown.
  const [beside] = await Promise.all([
    honest(),
    refusing({ service, sessions: [flooder] }, { ...FLOOD, seconds: seconds + 2 }),
  ]);
  return { alone, beside };
}
