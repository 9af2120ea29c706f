// What training would read of a simulated game, without a database: for diagrams and measurements. Needs `npm run build`.
import {
  activityStatistics,
  payerStatistics,
} from '../server/dist/personalisation/predict/player-statistics.js';
import { lifeOf } from '../simulator/dist/model/life.js';
import { purchasesOf } from '../simulator/dist/model/session-events.js';

const DAY_MS = 86_400_000;
const END_MS = Date.parse('2026-11-15T00:00:00Z');
/** Amounts of all currencies count as this one: their size does not matter here. */
const CURRENCY = 'USD';

/**
 * The cells of this many weekly origins, oldest first, of a game that the simulator plays. The outcome of the last one is known: it is a week before
 * the end.
 */
export function simulateOrigins({ seed, players, days, weeks }) {
  const simulation = { seed, players, days, endMs: END_MS };
  const lives = Array.from({ length: players }, (_, index) => daysOf(lifeOf(simulation, index)));
  const last = END_MS / DAY_MS - 1;
  return Array.from({ length: weeks }, (_, week) => originOf(lives, last - 7 * (weeks - week)));
}

/** What happened on each active day of a player. */
function daysOf(life) {
  const days = new Map();
  for (const session of life.sessions) {
    const epochDay = Math.floor(session.startMs / DAY_MS);
    const day = days.get(epochDay) ?? { ...EMPTY, epochDay };
    day.sessions += 1;
    day.playMs += session.durationMs;
    day.purchases += purchasesOf(life, session).length;
    days.set(epochDay, day);
  }
  return [...days.values()].sort((one, other) => one.epochDay - other.epochDay);
}

const EMPTY = { sessions: 0, adImpressions: 0, storeViews: 0, playMs: 0, purchases: 0 };

function originOf(lives, day) {
  const activity = new Map();
  const payers = new Map();
  const nonPayers = {
    players: 0,
    converted28: 0,
    purchases28: 0,
    revenue28: 0,
    converted90: 0,
    revenue90: 0,
  };
  for (const days of lives) {
    const known = days.filter(({ epochDay }) => epochDay <= day);
    if (known.length === 0) continue;
    const facts = factsOf(known, day);
    const after = (count) => days.filter(({ epochDay }) => epochDay > day && epochDay <= day + count);
    const bought = (count) => after(count).filter(({ purchases }) => purchases > 0);
    const spent7 = bought(7).length > 0 ? 1 : 0;
    const returned7 = after(7).length > 0 ? 1 : 0;
    add(activity, activityStatistics(facts, day + 1), { players: 1, returned7, spent7 });
    const history = payerStatistics(facts, day + 1, CURRENCY);
    const purchases28 = bought(28).reduce((sum, { purchases }) => sum + purchases, 0);
    if (history === undefined) {
      nonPayers.players += 1;
      nonPayers.converted28 += bought(28).length > 0 ? 1 : 0;
      nonPayers.purchases28 += purchases28;
    } else {
      const sums = {
        players: 1,
        spent7,
        purchaseDays28: bought(28).length,
        purchases28,
        revenue28: 0,
        revenue90: 0,
      };
      add(payers, history, sums);
    }
  }
  return { day, activity: [...activity.values()], payers: [...payers.values()], nonPayers };
}

function factsOf(known, day) {
  const range = ({ epochDay }) => [epochDay, epochDay + 1];
  return {
    firstDay: known[0].epochDay,
    activeDays: known.map(range),
    purchaseDays: known.filter(({ purchases }) => purchases > 0).map(range),
    repeatSpend: {},
    recentDays: known.filter(({ epochDay }) => epochDay > day - 28),
  };
}

/** Players with equal statistics are one cell. */
function add(cells, statistics, sums) {
  const key = JSON.stringify(statistics);
  const cell = cells.get(key);
  if (cell === undefined) cells.set(key, { ...statistics, ...sums });
  else for (const [name, more] of Object.entries(sums)) cell[name] += more;
}
