import { itemsNamed } from '../items.mjs';
import { floorPath } from '../support/floor-responses.mjs';
import { createFloors } from '../support/floors.mjs';
import { measureItem } from '../support/measure-item.mjs';
import { openLoop, openLoopEvents, readRequests } from '../support/open-loop.mjs';

const STATUS = '/v1/player/status';
const BATCH = 50;
/** The target, as a multiple of bare Fastify's p99. */
const LARGEST_P99 = 5;
const SETTLE_SECONDS = 1;
const [status, events] = itemsNamed('status', 'events, batch 50');

/** Latency at half the rate that is possible, in an open loop: of reads against bare Fastify, and of events. */
export const latency = {
  name: 'latency',
  parts: ['p50 and p99 at half the maximum rate, in an open loop'],
  run: (options, playgrounds) =>
    playgrounds.with(options, async (playground) => {
      const rounds = [];
      for (let round = 1; round <= options.rounds; round++) {
        const sample = await measureRound(playground, options);
        rounds.push(sample);
        for (const { name, perSecond, p50Ms, p99Ms } of Object.values(sample)) {
          console.log(
            `round ${round}/${options.rounds}  ${name.padEnd(24)} ${perSecond.toFixed(0).padStart(7)}/s  p50 ${p50Ms.toFixed(2)} ms  p99 ${p99Ms.toFixed(2)} ms`,
          );
        }
      }
      return {
        openLoops: rounds.flatMap((sample) => Object.values(sample)),
        limits: [
          {
            name: 'p99 of status reads at half the maximum rate',
            unit: '× bare Fastify',
            values: rounds.map(({ service, fastify }) => service.p99Ms / fastify.p99Ms),
            limit: LARGEST_P99,
          },
        ],
      };
    }),
};

/** Each at half of its own maximum, which is measured right before. */
async function measureRound(playground, { seconds }) {
  const { service, floor, sessions } = playground;
  const measureFloor = createFloors(playground, seconds, false);
  const largest = async (item) => (await measureItem(playground, item, seconds)).perSecond;
  const reads = async (name, url, path, maximum) => {
    const load = { url, requests: readRequests(path, sessions), perSecond: maximum / 2 };
    // Waits for the garbage collectors to finish after the closed loop.
    await openLoop({ ...load, seconds: SETTLE_SECONDS });
    return { name, ...(await openLoop({ ...load, seconds })) };
  };
  const { perSecond: fastifyMaximum } = await measureFloor('fastify', status);
  const fastify = await reads(
    'status, bare Fastify',
    floor.fastify,
    floorPath(STATUS, 'plain'),
    fastifyMaximum,
  );
  const own = await reads('status', service.api, STATUS, await largest(status));
  const eventsPerSecond = (await largest(events)) / 2;
  const stored = await openLoopEvents({
    api: service.api,
    sessions,
    batch: BATCH,
    eventsPerSecond,
    seconds,
  });
  return {
    fastify,
    service: own,
    events: { ...stored, name: `events, batch ${BATCH}`, perSecond: eventsPerSecond },
  };
}
