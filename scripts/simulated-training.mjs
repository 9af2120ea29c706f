// What training would read of a simulated game, without a database: for diagrams, measurements and the shipped prior. Needs `npm run build`.
import { createActivityCounter } from '../server/dist/decide/predict/activity-cells.js';
import { lifeOf } from '../simulator/dist/model/life.js';
import { eventsOf } from '../simulator/dist/model/session-events.js';
import { SKUS } from '../simulator/dist/model/world.js';

const DAY_MS = 86_400_000;
/** The last day of every game that is simulated here. */
export const LAST_SIMULATED_DAY = Date.parse('2026-11-15T00:00:00Z') / DAY_MS - 1;
const END_MS = (LAST_SIMULATED_DAY + 1) * DAY_MS;
const USD = new Map(SKUS.map(({ skuId, usd }) => [skuId, usd]));

/**
 * The cells of this many weekly origins, oldest first, of a game that the simulator plays. The outcome of the last one is known: it is a week before
 * the end.
 */
export function simulateOrigins({ seed, players, days, weeks, habits }) {
  const origins = Array.from({ length: weeks }, (_, week) => LAST_SIMULATED_DAY - 7 * (weeks - week));
  return originsOf(livesOf({ seed, players, days, habits }), origins);
}

/** Of each player: what happened on each active day. */
export function* livesOf({ habits, ...game }) {
  const simulation = { ...game, endMs: END_MS, ...(habits && { habits }) };
  for (let index = 0; index < simulation.players; index++) yield daysOf(lifeOf(simulation, index));
}

/** The cells of these origins. Of each player: what happened on each active day, in the order of the days. */
export function originsOf(players, origins) {
  const counter = createActivityCounter(origins);
  const payers = origins.map(() => new Map());
  const nonPayers = origins.map(() => ({ ...NOBODY }));
  for (const days of players) {
    const [first] = days;
    if (first === undefined) continue;
    const bought = days.filter(({ purchases }) => purchases > 0);
    counter.add(columnsOf(days, bought[0]?.day ?? null));
    for (const [at, origin] of origins.entries()) {
      if (first.day <= origin) addSpending(payers[at], nonPayers[at], bought, origin);
    }
  }
  const [cells, buyers] = [counter.cells(), counter.buyers()];
  return origins.map((day, at) => ({
    ...{
      day,
      activity: cells[at],
      buyers: buyers[at],
      payers: [...payers[at].values()],
      nonPayers: nonPayers[at],
    },
  }));
}

const NOBODY = { players: 0, converted28: 0, purchases28: 0, revenue28: 0, converted90: 0, revenue90: 0 };
const COUNTED = { Session_Start: 'sessions', Ad_Impression: 'adImpressions', Store_View: 'storeViews' };

/** What happened on each active day of a player, in the order of the days. */
function daysOf(life) {
  const days = new Map();
  for (const session of life.sessions) {
    for (const { atMs, eventType, payload } of eventsOf(life, session)) {
      const day = Math.floor(atMs / DAY_MS);
      const sums = days.get(day) ?? { ...EMPTY, day };
      days.set(day, sums);
      if (COUNTED[eventType] !== undefined) sums[COUNTED[eventType]] += 1;
      if (eventType === 'Session_End') sums.playMs += payload.durationMs;
      if (eventType !== 'Purchase') continue;
      sums.purchases += 1;
      // Dollars, whatever the currency of the player.
      sums.spent += USD.get(payload.skuId);
    }
  }
  return [...days.values()].sort((one, other) => one.day - other.day);
}

export const EMPTY = { sessions: 0, adImpressions: 0, storeViews: 0, playMs: 0, purchases: 0, spent: 0 };

function columnsOf(days, firstPurchaseDay) {
  const column = (name) => days.map((day) => day[name]);
  return {
    firstDay: days[0].day,
    firstPurchaseDay,
    earlierPurchases: { days: 0, lastDay: null },
    days: column('day'),
    active: days.map(() => 1),
    sessions: column('sessions'),
    playMs: column('playMs'),
    adImpressions: column('adImpressions'),
    storeViews: column('storeViews'),
    purchases: column('purchases'),
  };
}

function addSpending(payers, nonPayers, bought, origin) {
  const past = bought.filter(({ day }) => day <= origin);
  const within = (days) => bought.filter(({ day }) => day > origin && day <= origin + days);
  const total = (days, name) => within(days).reduce((sum, day) => sum + day[name], 0);
  const sums = {
    purchases28: total(28, 'purchases'),
    revenue28: total(28, 'spent'),
    revenue90: total(90, 'spent'),
  };
  if (past.length === 0) {
    const converted = (days) => (within(days).length > 0 ? 1 : 0);
    add(nonPayers, { players: 1, converted28: converted(28), converted90: converted(90), ...sums });
    return;
  }
  const [first] = past;
  const x = past.length - 1;
  const repeat = past.slice(1).reduce((sum, { spent }) => sum + spent, 0);
  const history = {
    ...{ x, tx: past.at(-1).day - first.day, t: origin - first.day },
    meanValue: x === 0 ? null : repeat / x,
  };
  const outcome = { spent7: within(7).length > 0 ? 1 : 0, purchaseDays28: within(28).length };
  const key = JSON.stringify(history);
  const cell = payers.get(key) ?? { ...history, players: 0, ...EMPTY_OUTCOME };
  payers.set(key, cell);
  add(cell, { players: 1, ...outcome, revenue7: total(7, 'spent'), ...sums });
}

const EMPTY_OUTCOME = {
  spent7: 0,
  purchaseDays28: 0,
  purchases28: 0,
  revenue7: 0,
  revenue28: 0,
  revenue90: 0,
};

function add(sums, more) {
  for (const [name, value] of Object.entries(more)) sums[name] += value;
}
