import type { FastifyInstance } from 'fastify';
import type { SimulatedGame, SimulatedPlayer } from '../decide/predict/simulated-game.js';
import { lastDayOf } from '../decide/predict/simulated-game.js';
import { DAY_MS } from './game-world.js';
import { type Harness, postEvents, type Session } from './harness.js';

/** Requests that arrive together share their transactions. */
const AT_ONCE = 250;

/** Sends all that the players of a simulated game did through the API. Its last day becomes yesterday. */
export async function playThroughApi(harness: Harness, game: SimulatedGame): Promise<Session[]> {
  const shift = Math.floor(harness.clock.now() / DAY_MS) - 1 - lastDayOf(game);
  const sessions: Session[] = [];
  for (let from = 0; from < game.players.length; from += AT_ONCE) {
    const portion = game.players.slice(from, from + AT_ONCE);
    sessions.push(
      ...(await Promise.all(
        portion.map(async (player, index) => {
          const session = await harness.login(`player-${from + index}`);
          await sendAll(harness.app, session, eventsOf(player, shift, lastDayOf(game)));
          return session;
        }),
      )),
    );
  }
  return sessions;
}

/** At noon of each day. */
export function eventsOf(player: SimulatedPlayer, shift: number, lastDay: number): object[] {
  const at = (day: number) => new Date((day + shift) * DAY_MS + DAY_MS / 2).toISOString();
  const isPast = (day: number) => day <= lastDay;
  return [
    ...player.activeDays.filter(isPast).map((day) => ({
      eventType: 'Session_Start',
      timestamp: at(day),
      payload: { sessionId: `s${day}` },
    })),
    ...[...player.purchases]
      .filter(([day]) => isPast(day))
      .map(([day, price]) => ({
        eventType: 'Purchase',
        timestamp: at(day),
        payload: { transactionId: `t${day}`, skuId: 'gems', price, currency: 'USD' },
      })),
  ];
}

async function sendAll(app: FastifyInstance, session: Session, events: object[]): Promise<void> {
  const response = await postEvents(app, session, events);
  if (response.statusCode !== 202) throw new Error(response.body);
}
