import { events } from '../items/events.mjs';
import { checkpoint } from '../support/checkpoint.mjs';
import { wantedItems } from '../support/options.mjs';

/** Tables with players and sums, not with events: they do not grow with every event. */
const NOT_OF_EVENTS = [
  'players',
  'player_days',
  'devices',
  'sessions',
  'game_days',
  'game_event_types',
  'game_cohorts',
  'bench_rows',
  'bench_events',
];

const ITEMS = [50, 1].flatMap((batch) =>
  [
    events('plain events', { batch }, {}),
    events('named events', { kind: 'named', batch }, {}),
    { ...events('sequenced events', { kind: 'sequenced', batch }, {}), isSequenced: true },
  ].map((item) => ({ ...item, isLongRun: batch === 1 })),
);

/** The most bytes of an event, for the items that have a target. */
const MOST_BYTES = {
  'named events, batch 50': { disk: 130, wal: 200 },
  'sequenced events, batch 50': { disk: 60, wal: 60 },
};

/** What an event takes on the disk, indexes included, and in the write-ahead log. */
export const storage = {
  name: 'storage',
  parts: ITEMS.map(({ name }) => name),
  run: (options, playgrounds) =>
    playgrounds.with(options, async (playground) => {
      const found = wantedItems(options, 'storage', ITEMS).map((item) => ({ item, disk: [], wal: [] }));
      for (let round = 1; round <= options.rounds; round++) {
        for (const { item, disk, wal } of found) {
          const sample = await measureBytes(playground, item, options.seconds);
          disk.push(sample.disk);
          wal.push(sample.wal);
          console.log(
            `round ${round}/${options.rounds}  ${item.name.padEnd(28)} ${sample.disk.toFixed(0)} bytes on disk, ${sample.wal.toFixed(0)} bytes of WAL for each of ${sample.stored} events`,
          );
        }
      }
      const limits = (name, kind) =>
        found.map(({ item, [kind]: values }) => ({
          name: `${name}, ${item.name}`,
          unit: 'bytes',
          values,
          limit: MOST_BYTES[item.name]?.[kind],
        }));
      return { limits: [...limits('bytes on disk per event', 'disk'), ...limits('WAL per event', 'wal')] };
    }),
};

async function measureBytes(playground, item, seconds) {
  // After a checkpoint the first change of a page writes the whole page to the log, so as many seconds that do not count come first.
  await checkpoint(playground.database);
  await playground.measure(await item.load(playground, seconds), seconds);
  const before = await bytesOfEvents(playground.database);
  const storedBefore = await playground.storedEvents();
  const { walBytes } = await playground.measure(await item.load(playground, seconds), seconds);
  const stored = (await playground.storedEvents()) - storedBefore;
  return { stored, disk: ((await bytesOfEvents(playground.database)) - before) / stored, wal: walBytes };
}

/** All tables with their indexes, except those that hold no events: this counts any layout of events. */
async function bytesOfEvents(database) {
  const { rows } = await database.query(
    `select coalesce(sum(pg_total_relation_size(c.oid)), 0)::float8 as n
     from pg_class c join pg_namespace s on s.oid = c.relnamespace
     where c.relkind = 'r' and s.nspname = 'public' and c.relname <> all($1)`,
    [NOT_OF_EVENTS],
  );
  return rows[0].n;
}
