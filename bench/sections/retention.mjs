import { itemsNamed } from '../items.mjs';
import { checkpoint } from '../support/checkpoint.mjs';
import { savepoint } from '../support/command.mjs';
import { fillEvents } from '../support/fill-events.mjs';
import { measureItem } from '../support/measure-item.mjs';
import { openLoopEvents } from '../support/open-loop.mjs';

const BATCH = 50;
const KEPT_DAYS = 3;
/** The days of receipt of what is deleted, counted from today. */
const EXPIRED_DAYS = [4, 5, 6, 7, 8];
/** The target, as a multiple of the p99 without retention. */
const LARGEST_P99 = 2;
const [batches] = itemsNamed('events, batch 50');

/** Deletes events past their retention while events come in at half of the possible rate. Runs last, because it deletes events. */
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
      const expired = await storeExpired(playground.database);
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

/** Intake goes on until the command has ended; the worst stretch counts. */
async function runBeside(service, intake) {
  const begun = performance.now();
  let tookSeconds;
  const deleting = savepoint(service, 'retention', 'run').finally(() => {
    tookSeconds = (performance.now() - begun) / 1000;
  });
  const stretches = [];
  // An error of the command is thrown below.
  deleting.catch(() => {});
  while (tookSeconds === undefined) stretches.push(await intake());
  console.log((await deleting).trim().split('\n').at(-1));
  return { tookSeconds, beside: stretches.reduce((a, b) => (b.p99Ms > a.p99Ms ? b : a)) };
}

/** Stores half of all blocks once more, as if they had been received days ago. Returns how many events that were. */
async function storeExpired(database) {
  for (const age of EXPIRED_DAYS) {
    await database.query(
      `select attach_partition('event_blocks', 'event_blocks_' || to_char(day, 'YYYYMMDD'), 'received_at',
         day::text || ' 00:00Z', (day + 1)::text || ' 00:00Z')
       from (select (now() at time zone 'UTC')::date - $1::int as day) d`,
      [age],
    );
  }
  const { rows } = await database.query(
    `with expired as (
       insert into event_blocks (player_id, received_at, game_id, event_count, first_at, last_at, install_id, events)
       select player_id, (date_trunc('day', now() at time zone 'UTC') at time zone 'UTC')
           - make_interval(days => ($1::int[])[1 + id % cardinality($1::int[])]) + interval '1 hour',
         game_id, event_count, first_at, last_at, install_id, events
       from event_blocks
       where id % 2 = 0
       returning event_count
     )
     select coalesce(sum(event_count), 0)::float8 as n from expired`,
    [EXPIRED_DAYS],
  );
  await checkpoint(database);
  return rows[0].n;
}
