import { itemsNamed } from '../items.mjs';
import { closedLoop } from '../support/closed-loop.mjs';
import { purchasesJson } from '../support/event-bodies.mjs';
import { measureItem } from '../support/measure-item.mjs';
import { openLoopEvents } from '../support/open-loop.mjs';
import { rawRequest } from '../support/raw-connection.mjs';
import { loginMany, playerHeaders, postEvents } from '../support/service.mjs';

/** As many events as a request may have. */
const BATCH = 500;
/** Connections of the hot player while others are measured. */
const CONNECTIONS = 4;
/** The target, as a multiple of the time of a new player's purchase. */
const LARGEST_PURCHASE = 1.5;
/** The target, as a multiple of the time of others without the hot player. */
const LARGEST_WAIT = 2;
const [singles] = itemsNamed('events, batch 1');

/** One player with very many purchases goes on buying: what a purchase costs, and how much slower the events of others are. */
export const hotPlayer = {
  name: 'hot player',
  parts: ['a purchase of a player with many', 'events of others beside it'],
  run: (options, playgrounds) =>
    playgrounds.with(options, async (playground) => {
      const run = `hot-${Date.now()}`;
      const [hot] = await loginMany(playground.service.api, 1, run);
      await storePurchases(playground.service.api, hot, options.purchases, run);
      const rounds = [];
      for (let round = 1; round <= options.rounds; round++) {
        const sample = await measureRound(playground, hot, `${run}-${round}`, options);
        rounds.push(sample);
        console.log(
          `round ${round}/${options.rounds}  a purchase takes ${sample.hot.p50Ms.toFixed(1)} ms, a new player's ${sample.fresh.p50Ms.toFixed(1)} ms; p50 of others ${sample.beside.p50Ms.toFixed(1)} ms, without it ${sample.alone.p50Ms.toFixed(1)} ms`,
        );
      }
      return { limits: limitsOf(rounds, options.purchases) };
    }),
};

/** One request after the other, as one client would send them. */
async function storePurchases(api, session, count, run) {
  console.log(`storing ${count} purchases of one player`);
  for (let stored = 0; stored < count; stored += BATCH) {
    const body = purchasesJson(`${run}-stored`, stored, Math.min(BATCH, count - stored));
    await postEvents(api, [session], () => body);
  }
}

async function measureRound(playground, hot, run, { seconds }) {
  const { api } = playground.service;
  const [other] = await loginMany(api, 1, run);
  const buy = (session, name, connections, more = {}) =>
    closedLoop({
      url: api,
      connections,
      seconds,
      requestOf: (number) => purchaseRequest(session, `${run}-${name}`, number),
      ...more,
    });
  const fresh = await buy(other, 'fresh', 1);
  const one = await buy(hot, 'hot', 1);
  const eventsPerSecond = (await measureItem(playground, singles, seconds)).perSecond / 2;
  const others = () =>
    openLoopEvents({ api, sessions: playground.sessions, batch: 1, eventsPerSecond, seconds });
  const alone = await others();
  const end = new AbortController();
  const buying = buy(hot, 'beside', CONNECTIONS, { seconds: 600, signal: end.signal });
  const beside = await others().finally(() => end.abort());
  await buying;
  return { fresh, hot: one, alone, beside };
}

function purchaseRequest(session, run, number) {
  const headers = { ...playerHeaders(session), 'content-type': 'application/json' };
  return rawRequest('POST', '/v1/events', headers, purchasesJson(run, number, 1));
}

function limitsOf(rounds, purchases) {
  const limit = (name, values, largest) => ({ name, unit: '×', values, limit: largest });
  return [
    {
      name: `a purchase of a player with ${purchases} purchases, p50`,
      unit: 'ms',
      values: rounds.map(({ hot }) => hot.p50Ms),
    },
    limit(
      `a purchase of a player with ${purchases} purchases against one of a player with few, p50`,
      rounds.map(({ hot, fresh }) => hot.p50Ms / fresh.p50Ms),
      LARGEST_PURCHASE,
    ),
    limit(
      `single events of others while that player buys on ${CONNECTIONS} connections against without, p50`,
      rounds.map(({ beside, alone }) => beside.p50Ms / alone.p50Ms),
      LARGEST_WAIT,
    ),
    limit(
      `single events of others while that player buys on ${CONNECTIONS} connections against without, p99`,
      rounds.map(({ beside, alone }) => beside.p99Ms / alone.p99Ms),
    ),
  ];
}
