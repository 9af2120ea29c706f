// Fills one closed day with events of simulated players, by the functions that apply events of requests.
import { randomUUID } from 'node:crypto';
import { applyEvents } from '../../server/dist/core/events/apply/apply-events.js';
import { checkEvents } from '../../server/dist/core/events/intake/check-events.js';
import { recordsOfPlayer } from '../../server/dist/core/events/intake/event-record.js';
import { ensureDays } from '../../server/dist/core/events/storage/event-partitions.js';
import { insertPlayers } from '../../server/dist/operations/imports/import-queries.js';
import { transaction } from '../../server/dist/platform/db/pool.js';
import { recordRequests } from '../support/simulated-requests.mjs';

const DAY_MS = 86_400_000;
const RECORDED = { seed: 7, players: 1_000, days: 30, clients: 32 };
const PLAYERS_PER_STATEMENT = 5_000;
const EVENTS_PER_GROUP = 1_000;
const APART_MS = 7_919;

/**
 * Some `target` events: each player sends once what a simulated player sent on one day, received on `day`. Returns how many players there are.
 */
export async function fillDay(pool, { gameId, day, target }) {
  const plays = await recordDays();
  const players = Math.ceil(target / (sum(plays.map(({ events }) => events)) / plays.length));
  await ensureDays(pool, [day]);
  let group = [];
  let written = 0;
  let applying = Promise.resolve();
  const flush = async () => {
    // The next group is made while this one is applied.
    await applying;
    written += group.length;
    applying = applyEvents(pool, group);
    applying.catch(() => {});
    if (written % 100_000 < group.length)
      process.stderr.write(`\r${(written / 1e6).toFixed(2)} of ${(target / 1e6).toFixed(2)} million events `);
    group = [];
  };
  for (let from = 0; from < players; from += PLAYERS_PER_STATEMENT) {
    const count = Math.min(PLAYERS_PER_STATEMENT, players - from);
    for (const [index, player] of (await createPlayers(pool, gameId, day, count)).entries()) {
      for (const batch of plays[(from + index) % plays.length].batches)
        group.push(...recordsOf(player, batch, Date.parse(day)));
      if (group.length >= EVENTS_PER_GROUP) await flush();
    }
  }
  await flush();
  await applying;
  process.stderr.write('\n');
  return players;
}

/** What each simulated player sent on each day on which one sent something. */
async function recordDays() {
  const plays = new Map();
  for (const [player, requests] of (await recordRequests(RECORDED)).entries()) {
    for (const { body, headers } of requests) {
      if (body === undefined) continue;
      const events = JSON.parse(body);
      const sentAtMs = Math.max(...events.map(({ timestamp }) => Date.parse(timestamp) || 0));
      const key = `${player} ${Math.floor(sentAtMs / DAY_MS)}`;
      const play = plays.get(key) ?? { batches: [], events: 0 };
      play.batches.push({ events, sentAtMs, installId: headers['x-install-id'] });
      play.events += events.length;
      plays.set(key, play);
    }
  }
  return [...plays.values()];
}

function createPlayers(pool, gameId, day, count) {
  const created = { createdAtMs: Date.parse(day), ageGroup: null, ageGroupAtMs: null };
  const players = Array.from({ length: count }, () => ({ userId: randomUUID(), ...created }));
  return transaction(pool, (client) => insertPlayers(client, gameId, players));
}

/** At another time of the day for each player, and with ids of their own: copies of one event would compress each other. */
function recordsOf(player, { events, sentAtMs, installId }, dayMs) {
  const receivedAtMs = dayMs + ((sentAtMs + Number(player.playerId) * APART_MS) % DAY_MS);
  const moved = events.map((event) => ownEvent(event, player, receivedAtMs - sentAtMs));
  const checked = checkEvents(
    { events: moved, bytes: 0, suspicious: true },
    { userId: player.userId, installId },
    receivedAtMs,
  );
  // The simulated broken build sends a few events that are refused.
  return recordsOfPlayer(checked.events, player, { installId, clientBuild: null });
}

function ownEvent(event, { playerId }, movedMs) {
  const sentMs = Date.parse(event.timestamp);
  return {
    ...event,
    ...(event.eventId === undefined ? {} : { eventId: ownId() }),
    // A time that cannot be read stays as it is.
    ...(Number.isNaN(sentMs) ? {} : { timestamp: new Date(sentMs + movedMs).toISOString() }),
    // A transaction belongs to one player.
    ...(event.payload?.transactionId === undefined
      ? {}
      : { payload: { ...event.payload, transactionId: `${event.payload.transactionId}-${playerId}` } }),
  };
}

/** 128 random bits in as many characters as clients write them. */
const ownId = () =>
  BigInt(`0x${randomUUID().replaceAll('-', '')}`)
    .toString(32)
    .padStart(26, '0');

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
