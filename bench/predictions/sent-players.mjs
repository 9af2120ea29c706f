import { randomFrom } from '../../simulator/dist/model/random.js';
import { JSON_HEADERS, loginRequest } from '../support/auth-requests.mjs';
import { createGame } from '../support/command.mjs';
import { exchange, openRawConnection, rawRequest } from '../support/raw-connection.mjs';
import { playerHeaders } from '../support/service.mjs';
import { settleTables } from '../support/stored-players.mjs';
import { drawPurchases, drawVisits, PAYER_SHARE, SHORT_TRUTH } from './simulated-game.mjs';

const DAY_MS = 86_400_000;
/** Events that are more than 90 days old count when they are received. A run of all players may pass midnight. */
export const MAX_DAYS = 88;
const CONNECTIONS = 64;
/** The most that the service takes in one batch. */
const MAX_BATCH = 500;
const PROGRESS_MS = 10_000;

/**
 * Plays a game through the API: each player logs in and sends all events of the past days, in batches. Visits and purchases go to two
 * games, because a purchase is an event of its day, too: in one game, payers would be active on days that BG/BB does not
 * know of. The last day is yesterday.
 */
export async function sendSimulatedPlayers(service, database, { players, days, seed }) {
  const endDay = Math.floor(Date.now() / DAY_MS);
  const startDay = endDay - days;
  const visitsOf = (random) =>
    drawVisits(random, startDay, endDay, SHORT_TRUTH.bgBb).map((day) => ({
      eventType: 'Session_Start',
      timestamp: noonOf(day),
      payload: { sessionId: `session-${day}` },
    }));
  const purchasesOf = (random) =>
    // In the first third, so that all are watched for a while.
    [...drawPurchases(random, startDay, endDay, Math.ceil(days / 3), SHORT_TRUTH)].map(([day, price]) => ({
      eventType: 'Purchase',
      timestamp: noonOf(day),
      payload: { transactionId: `purchase-${day}`, skuId: 'gems', price, currency: 'USD' },
    }));
  const buyers = Math.round(PAYER_SHARE * players);
  const key = await createGame(service, 'buyers');
  const sent = [
    await sendGame(service, { name: 'visits', players, eventsOf: (n) => visitsOf(randomFrom(seed, n)) }),
    await sendGame(service, {
      name: 'purchases',
      players: buyers,
      key,
      eventsOf: (n) => purchasesOf(randomFrom(seed, players + n)),
    }),
  ];
  await settleTables(database, ['players', 'player_days', 'devices', 'sessions']);
  const { rows } = await database.query('select id, slug from games');
  const idOf = (slug) => rows.find((row) => row.slug === slug).id;
  return {
    events: sent.reduce((sum, events) => sum + events, 0),
    visits: idOf('demo-game'),
    purchases: idOf('buyers'),
  };
}

/** Returns how many events were sent. */
async function sendGame({ api }, { name, players, key, eventsOf }) {
  const { hostname, port } = new URL(api);
  const begun = performance.now();
  const seconds = () => ((performance.now() - begun) / 1000).toFixed(0);
  let next = 0;
  let events = 0;
  const show = () => console.log(`${name}: ${next} of ${players} players, ${events} events, ${seconds()} s`);
  const progress = setInterval(show, PROGRESS_MS);
  const one = async () => {
    const connection = await openRawConnection(hostname, Number(port));
    while (next < players) {
      const index = next++;
      const session = await ask(connection, 200, loginRequest(`sent-${index}`, key));
      const headers = { ...playerHeaders(session), ...JSON_HEADERS };
      const all = eventsOf(index);
      for (let from = 0; from < all.length; from += MAX_BATCH) {
        const batch = all.slice(from, from + MAX_BATCH);
        const { data } = await ask(
          connection,
          202,
          rawRequest('POST', '/v1/events', headers, JSON.stringify(batch)),
        );
        if (data.accepted !== batch.length) throw new Error(`events: ${JSON.stringify(data)}`);
        events += batch.length;
      }
    }
    connection.close();
  };
  try {
    await Promise.all(Array.from({ length: CONNECTIONS }, one));
  } finally {
    clearInterval(progress);
  }
  show();
  return events;
}

async function ask(connection, expected, request) {
  const { status, response } = await exchange(connection, request);
  // A closed connection has the status 0 and no response.
  const text = response === undefined ? '' : String(Buffer.concat(response));
  const body = text.slice(text.indexOf('\r\n\r\n') + 4);
  if (status !== expected) throw new Error(`${status} instead of ${expected}: ${body}`);
  return JSON.parse(body);
}

function noonOf(day) {
  return new Date(day * DAY_MS + DAY_MS / 2).toISOString();
}
