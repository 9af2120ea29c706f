import { randomEvents, randomLogins, randomReads } from '../items/clients.mjs';
import { compare, warmUp } from '../support/alternate.mjs';
import { fillEvents } from '../support/fill-events.mjs';
import { createFloors } from '../support/floors.mjs';
import { openLoopEvents } from '../support/open-loop.mjs';
import { wantedItems } from '../support/options.mjs';

const BATCH = 50;
const PLAIN = randomEvents('events of random players', { batch: BATCH }, { insert: undefined });

/** Compared with floors that do not grow: a second service as the floor would store as much as the first one. */
const GROWING = [
  { ...PLAIN, isLongRun: true },
  randomEvents('named events of random players', { kind: 'named', batch: BATCH }, { insert: undefined }),
  {
    ...randomEvents(
      'sequenced events of random players',
      { kind: 'sequenced', batch: BATCH },
      { insert: undefined },
    ),
    isSequenced: true,
  },
  {
    ...randomEvents('events of random players', { batch: 1 }, { fastify: undefined }),
    isLongRun: true,
  },
  {
    ...randomEvents('named events of random players', { kind: 'named', batch: 1 }, { fastify: undefined }),
    isLongRun: true,
  },
  {
    ...randomEvents(
      'sequenced events of random players',
      { kind: 'sequenced', batch: 1 },
      { fastify: undefined },
    ),
    isSequenced: true,
    isLongRun: true,
  },
  {
    ...randomReads('status of random players', '/v1/player/status', 'plain', { fastify: undefined }),
    isLongRun: true,
  },
  { ...randomLogins('returning login of random players', { commits: undefined }), isLongRun: true },
];

/** Measures whether costs grow with the stored events: ten rounds, the first with few events, the last with all of them. */
export const growth = {
  name: 'growth',
  parts: GROWING.map(({ name }) => `${name}, ten rounds over growing data`),
  async run(options, playgrounds) {
    const { seconds, stored: largest, growthRounds: rounds } = options;
    const items = wantedItems(options, 'growth', GROWING, ', ten rounds over growing data');
    if (items.length === 0) return {};
    const growing = new Map(
      items.map((item) => [item.name, { name: item.name, unit: item.unit, rounds: [] }]),
    );
    const openLoops = [];
    await playgrounds.with({ ...options, shared: 'filled' }, async (playground) => {
      await playground.crowd();
      await warmUp(playground, items, options);
      for (let round = 1; round <= rounds; round++) {
        await fillEvents(playground, (largest * (round - 1)) / (rounds - 1), options);
        const stored = await playground.storedEvents();
        for (const item of items) {
          const { compared, work } = await compare(
            playground,
            item,
            seconds,
            createFloors(playground, seconds, false),
          );
          const [{ floorName, ratio }] = compared;
          growing.get(item.name).rounds.push({ stored, floorName, ratio, ...work });
          console.log(
            `round ${round}/${rounds}  ${(stored / 1e6).toFixed(2)} million stored  ${item.name.padEnd(46)} ${work.perSecond.toFixed(0).padStart(7)} ${item.unit}/s  ${ratio.toFixed(2)} of ${floorName}`,
          );
        }
        if (round === 1 || round === rounds) {
          openLoops.push(await measureLatency(playground, growing.get(PLAIN.name), stored, seconds));
        }
      }
    });
    return { growing: [...growing.values()], openLoops: openLoops.filter(Boolean) };
  },
};

/** Latency of batches at half the rate that was just reached. */
async function measureLatency({ service, sessions }, plain, stored, seconds) {
  if (plain === undefined) return undefined;
  const eventsPerSecond = plain.rounds.at(-1).perSecond / 2;
  const run = await openLoopEvents({ api: service.api, sessions, batch: BATCH, eventsPerSecond, seconds });
  const name = `events, batch ${BATCH}, ${(stored / 1e6).toFixed(1)} million stored`;
  return { ...run, name, perSecond: eventsPerSecond };
}
