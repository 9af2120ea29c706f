import { createAdmin } from '../support/command.mjs';
import { eventsJson } from '../support/event-bodies.mjs';
import { fillEvents } from '../support/fill-events.mjs';
import { loginMany, postEvents } from '../support/service.mjs';

const GAME = '/admin/v1/games/demo-game';
const BATCH = 500;
const FEW = 500;
const LARGEST_OVERVIEW_MS = 1_000;
const LARGEST_TIMELINE_MS = 100;
/** Of a player with few and with many events. */
const LARGEST_EXPLAIN_MS = [100, 1_000];

/** Among many stored events: explaining a past instant of a player, a page of the timeline, and the console's Overview. */
export const past = {
  name: 'past',
  parts: ['explain a past moment', 'timeline page', 'Overview'],
  run: (options, playgrounds) =>
    playgrounds.with({ ...options, shared: 'filled' }, async (playground) => {
      await fillEvents(playground, options.stored, options);
      const { service } = playground;
      const admin = await createAdmin(service);
      const stored = await playground.storedEvents();
      const label = `${(stored / 1e6).toFixed(1)} million stored`;
      const limits = [];
      for (const [place, events] of [FEW, options.events].entries()) {
        const player = await storePlayer(service.api, events);
        const whose = `player with ${events} events, ${label}`;
        limits.push({
          name: `explain a past moment, ${whose}`,
          unit: 'ms',
          limit: LARGEST_EXPLAIN_MS[place],
          values: await times(options.rounds, () => explain(admin, player, events)),
        });
        limits.push(...(await timelineLimits(admin, player, whose, options.rounds)));
      }
      limits.push({
        name: `requests of the Overview page, ${label}`,
        unit: 'ms',
        limit: LARGEST_OVERVIEW_MS,
        values: await times(options.rounds, () => openOverview(admin)),
      });
      for (const { name, values } of limits) console.log(`${name}: ${values.map(Math.round).join(', ')} ms`);
      return { limits };
    }),
};

/** Makes a player with this many events, and returns the instant after the last of them. */
async function storePlayer(api, count) {
  const run = `past-${Date.now()}`;
  const [session] = await loginMany(api, 1, run);
  for (let stored = 0; stored < count; stored += BATCH) {
    const body = eventsJson(run, stored, Math.min(BATCH, count - stored));
    await postEvents(api, [session], () => body);
  }
  const moment = new Date().toISOString();
  // One more event, so that the present differs from the instant that is explained.
  await postEvents(api, [session], () => eventsJson(`${run}-later`, 0, 1));
  return { userId: session.userId, moment };
}

async function explain(admin, { userId, moment }, events) {
  const { status, body } = await admin(`${GAME}/explain`, { playerId: userId, at: moment });
  const { source, facts } = body.data ?? {};
  if (status === 200 && source === 'stored events' && facts.eventCount === events) return;
  throw new Error(`explain: ${status} ${JSON.stringify(body).slice(0, 300)}`);
}

/** The newest events of a player as the console shows them, and a page whose filter matches none of them. */
async function timelineLimits(admin, { userId }, whose, rounds) {
  const path = `${GAME}/players/${userId}/timeline`;
  const ask = async (query) => {
    const page = await admin(`${path}${query}`);
    if (page.status !== 200) throw new Error(`timeline: ${page.status} ${JSON.stringify(page.body)}`);
  };
  return [
    {
      name: `timeline page, ${whose}`,
      unit: 'ms',
      limit: LARGEST_TIMELINE_MS,
      values: await times(rounds, () => ask('')),
    },
    {
      name: `timeline page without a match, ${whose}`,
      unit: 'ms',
      limit: LARGEST_TIMELINE_MS,
      values: await times(rounds, () => ask('?kinds=refund')),
    },
  ];
}

/** What the console's Overview asks for when it opens. */
async function openOverview(admin) {
  // Retention has a request of its own, which goes back up to 69 days.
  const cohortsFrom = new Date(Date.now() - 69 * 86_400_000).toISOString().slice(0, 10);
  const paths = ['dashboard', `dashboard?from=${cohortsFrom}`, 'breakdown', 'holdout'];
  const asked = paths.map((path) => admin(`${GAME}/${path}`));
  for (const { status, body } of await Promise.all(asked)) {
    if (status !== 200) throw new Error(`Overview: ${status} ${JSON.stringify(body).slice(0, 300)}`);
  }
}

async function times(count, work) {
  const values = [];
  while (values.length < count) {
    const begun = performance.now();
    await work();
    values.push(performance.now() - begun);
  }
  return values;
}
