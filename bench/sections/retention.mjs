import { itemsNamed } from '../items.mjs';
import { savepoint } from '../support/command.mjs';
import { fillEvents } from '../support/fill-events.mjs';
import { measureItem } from '../support/measure-item.mjs';
import { openLoopEvents } from '../support/open-loop.mjs';

const BATCH = 50;
/** Events are spread over a week: about half of them are older. */
const KEPT_DAYS = 3;
/** How many times the p99 without it. */
const LARGEST_P99 = 2;
const [batches] = itemsNamed('events, batch 50');

/** Deleting what a game no longer keeps, with events coming in at half of the possible rate. Comes last: it deletes. */
export const retention = {
  name: 'retention',
  parts: ['retention with intake beside it'],
  run: (options, playgrounds) =>
    playgrounds.with({ ...options, shared: 'filled' }, async (playground) => {
      const { seconds } = options;
      const { service, sessions } = playground;
      await fillEvents(playground, options.stored, options);
      const eventsPerSecond = (await measureItem(playground, batches, seconds)).perSecond / 2;
      const intake = () =>
        openLoopEvents({ api: service.api, sessions, batch: BATCH, eventsPerSecond, seconds });
      const alone = await intake();
      const expired = await countExpired(playground.database);
      await savepoint(
        service,
        ...['game', 'set', 'demo-game', '--tenant', 'demo-studio', '--retention-days', String(KEPT_DAYS)],
      );
      const { tookSeconds, beside } = await runBeside(service, intake);
      console.log(
        `${expired} events deleted in ${tookSeconds.toFixed(1)} s; p99 of intake ${beside.p99Ms.toFixed(0)} ms, without it ${alone.p99Ms.toFixed(0)} ms`,
      );
      return {
        openLoops: [
          { ...alone, name: 'events, batch 50, before retention', perSecond: eventsPerSecond },
          { ...beside, name: 'events, batch 50, during retention', perSecond: eventsPerSecond },
        ],
        limits: [
          {
            name: `retention of ${(expired / 1e6).toFixed(2)} million events`,
            unit: 's',
            values: [tookSeconds],
          },
          {
            name: 'intake during retention against before, p99',
            unit: '×',
            values: [beside.p99Ms / alone.p99Ms],
            limit: LARGEST_P99,
          },
        ],
      };
    }),
};

/** Intake goes on until the command has ended; the worst stretch of it counts. */
async function runBeside(service, intake) {
  const begun = performance.now();
  let tookSeconds;
  const deleting = savepoint(service, 'retention', 'run').finally(() => {
    tookSeconds = (performance.now() - begun) / 1000;
  });
  const stretches = [];
  // Should the command fail, that is heard below.
  deleting.catch(() => {});
  while (tookSeconds === undefined) stretches.push(await intake());
  console.log((await deleting).trim().split('\n').at(-1));
  return { tookSeconds, beside: stretches.reduce((a, b) => (b.p99Ms > a.p99Ms ? b : a)) };
}

/** By the roll-ups, which are kept when events are deleted. */
async function countExpired(database) {
  const { rows } = await database.query(
    `select coalesce(sum(events), 0)::float8 as n from game_days
     where day < (now() at time zone 'UTC')::date - $1::int`,
    [KEPT_DAYS],
  );
  return rows[0].n;
}
