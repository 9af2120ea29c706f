import { randomUUID } from 'node:crypto';
import { randomFrom } from '../../simulator/dist/model/random.js';
import { copyIn } from '../floors/copy-in.mjs';
import { settleTables } from '../support/stored-players.mjs';
import { BUYING_DAYS, drawPurchases, drawVisits, PAYER_SHARE, TRUTH } from './simulated-game.mjs';

const DAY_MS = 86_400_000;
/** `purchase_days` of a player covers this many (`recent_days` in the schema). */
const KEPT_DAYS = 180;

/** The first id of players that are written directly; the service gives none as high. */
const FIRST_ID = 1_000_000_000;
const PORTION = 5_000;
/** Only players with a device can log in. */
const DEVICES = 2_000;

export const deviceOf = (index) => `simulated-${index}`;

/**
 * Writes players and their days as the fold of events would leave them, with two exceptions, so that visits follow exactly one model and
 * purchases the other: a day with a purchase and no visit has no event, and purchases may be older than the first visit. The last day
 * is yesterday.
 */
export async function insertSimulatedPlayers(database, { players, days, seed }) {
  const { rows } = await database.query("select id from games where slug = 'demo-game'");
  const gameId = rows[0].id;
  const startDay = Math.floor(Date.now() / DAY_MS) - days;
  let written = 0;
  for (let from = 0; from < players; from += PORTION) {
    const texts = { players: [], days: [], devices: [] };
    for (let index = from; index < Math.min(from + PORTION, players); index++) {
      const player = simulatePlayer(randomFrom(seed, index), startDay, days);
      addLines(texts, player, FIRST_ID + index, gameId, index);
    }
    await copyIn(database, COPY_PLAYERS, texts.players.join(''));
    await copyIn(database, COPY_DAYS, texts.days.join(''));
    if (texts.devices.length > 0) await copyIn(database, COPY_DEVICES, texts.devices.join(''));
    written += texts.days.length;
  }
  await settleTables(database, ['players', 'player_days', 'devices']);
  return { gameId, days: written };
}

const COPY_PLAYERS = `copy players (id, game_id, user_id, created_at, first_event_at, last_event_at, event_count, active_days,
  first_day, purchase_count, first_purchase_at, last_purchase_at, spend, repeat_spend, purchase_days) from stdin`;
const COPY_DAYS =
  'copy player_days (player_id, day, events, sessions, ad_impressions, store_views, play_ms, purchases, revenue) from stdin';
const COPY_DEVICES = 'copy devices (game_id, device_id, player_id, created_at) from stdin';

function simulatePlayer(random, startDay, days) {
  const endDay = startDay + days;
  const visits = new Set(drawVisits(random, startDay, endDay, TRUTH.bgBb));
  const isPayer = random() < PAYER_SHARE;
  const purchases = isPayer
    ? drawPurchases(random, endDay - BUYING_DAYS, endDay, BUYING_DAYS, TRUTH)
    : new Map();
  return { firstDay: Math.min(...visits), visits, purchases };
}

function addLines(texts, { firstDay, visits, purchases }, id, gameId, index) {
  const first = dateOf(firstDay);
  const purchaseDays = [...purchases.keys()];
  const total = (amounts) => amounts.reduce((sum, amount) => sum + Math.round(100 * amount), 0) / 100;
  const amounts = [...purchases.values()];
  const spend = (some) => (amounts.length === 0 ? '{}' : `{"USD": ${total(some)}}`);
  const isKept = (day) => day > purchaseDays.at(-1) - KEPT_DAYS;
  const momentOf = (day) => (day === undefined ? '\\N' : dateOf(day));
  texts.players.push(
    line([
      ...[id, gameId, randomUUID(), first, first, dateOf(Math.max(...visits)), visits.size, rangesOf(visits)],
      ...[first, amounts.length, momentOf(purchaseDays[0]), momentOf(purchaseDays.at(-1))],
      ...[spend(amounts), spend(amounts.slice(1)), rangesOf(purchaseDays.filter(isKept))],
    ]),
  );
  for (const day of new Set([...visits, ...purchaseDays])) {
    const visit = visits.has(day) ? [6, 1 + (day % 3), day % 5, day % 2, 600_000] : [0, 0, 0, 0, 0];
    const amount = purchases.get(day);
    const bought = amount === undefined ? [0, '{}'] : [1, `{"USD": ${amount}}`];
    texts.days.push(line([id, dateOf(day), ...visit, ...bought]));
  }
  if (index < DEVICES) texts.devices.push(line([gameId, deviceOf(index), id, first]));
}

/** PostgreSQL joins neighbours when it reads a multirange. */
function rangesOf(days) {
  return `{${[...days].map((day) => `[${dateOf(day)},${dateOf(day + 1)})`).join(',')}}`;
}

const line = (fields) => `${fields.join('\t')}\n`;

const dates = new Map();
function dateOf(day) {
  const known = dates.get(day) ?? new Date(day * DAY_MS).toISOString().slice(0, 10);
  dates.set(day, known);
  return known;
}
