import { type Clock, systemClock } from './driver/clock.js';
import { createHttpFetch } from './driver/http-fetch.js';
import type { ResponseCounts } from './driver/network.js';
import { createPlayer, type Service } from './driver/play-life.js';
import { openReactingPlayers, reachable } from './driver/reacting-players.js';
import { openLiveRun } from './driver/state-file.js';
import { type Life, lifeOf, type Session } from './model/life.js';
import type { Reacting, Reactions } from './model/reaction.js';
import { eventsOf } from './model/session-events.js';
import { DAY_MS, firstDayMs, type Simulation, startOfDay } from './model/simulation.js';
import { total } from './model/tally.js';
import type { SimulateOptions } from './simulate.js';

export type LiveOptions = SimulateOptions & { reactions?: Reactions | undefined };

export type LiveResult = {
  sessions: number;
  /** Events that were tracked: each was acknowledged, refused, swallowed by the simulated network, or could not be sent. */
  events: number;
  acknowledged: number;
  refused: number;
  swallowed: number;
  responseCounts: ResponseCounts;
  /** Players who were told an arm of the experiment to which players react, by variant; also in earlier calls. */
  told: Readonly<Record<string, number>>;
};

export type Appointment = { life: Life; session: Session };

/** Sessions are looked up this far ahead. */
const AHEAD_MS = DAY_MS / 4;

/**
 * Plays from now on, at the pace of the clock, until `signal`. After a simulation of the past with the same options, or after an
 * earlier call, the same players go on; new ones come at the pace of the average day. A client keeps its events in memory
 * here: events that it had not sent when the process was killed are lost.
 */
export async function simulateLive(options: LiveOptions, clock: Clock = systemClock): Promise<LiveResult> {
  const { seed, players, days, url, apiKey, apiSecret, reactions } = options;
  const wanted = { seed, players, days, target: `${url} ${apiKey}` };
  const { simulation, run } = await openLiveRun(options.stateFile, wanted, clock.now());
  const reactingPlayers = openReactingPlayers(reactions, `${options.stateFile}.arms-of-${run}`);
  const http = createHttpFetch(options.clients);
  const service: Service = { url, apiKey, apiSecret, send: http.fetch };
  const responseCounts: ResponseCounts = { requests: 0, accepted: 0, duplicates: 0, lostResponses: 0 };
  const result: LiveResult = {
    sessions: 0,
    events: 0,
    acknowledged: 0,
    refused: 0,
    swallowed: 0,
    responseCounts,
    told: reactingPlayers.told,
  };
  let trouble: string | undefined;
  const show = () =>
    options.onProgress({
      players,
      playersDone: result.sessions,
      events: result.events,
      requests: responseCounts.requests,
      trouble,
    });
  const failed = new AbortController();
  const signal = AbortSignal.any([options.signal, failed.signal]);
  const playing = new Map<number, Promise<void>>();
  const startedAt = clock.now().toString(36);

  const play = async ({ life, session: planned }: Appointment) => {
    if (signal.aborted) return;
    const session = reactions === undefined ? planned : reachable(planned);
    const player = createPlayer(life, {
      service,
      run,
      responseCounts,
      clock,
      // Every session starts with an empty storage, and numbers of its own.
      installSuffix: `live-${startedAt}-${session.number}`,
      signal: new AbortController().signal,
      onEvents: () => {
        trouble = undefined;
        show();
      },
      onTrouble: ({ message }) => {
        trouble = message;
        show();
      },
    });
    await player.begin(session);
    const reacting = await reactingPlayers.learn(life.index, session.startMs, player.experiments);
    await player.trackLive(eventsOf({ ...life, reacting }, session), signal, () => {
      result.events++;
      show();
    });
    await player.end(signal);
    const { acknowledged, refused } = player.played();
    result.acknowledged += acknowledged;
    result.refused += total(refused);
    result.swallowed += player.swallowed();
    result.sessions++;
    show();
  };

  for (let fromMs = clock.now(), toMs = fromMs; !signal.aborted; fromMs = toMs) {
    // Whether a player comes back tomorrow may follow from the arm that the player is told today.
    toMs = Math.min(fromMs + AHEAD_MS, startOfDay(fromMs) + DAY_MS);
    for (const appointment of sessionsBetween(simulation, fromMs, toMs, reactingPlayers.of)) {
      await clock.sleepUntil(appointment.session.startMs, signal);
      if (signal.aborted) break;
      const { index } = appointment.life;
      const before = playing.get(index) ?? Promise.resolve();
      const session = before
        .then(() => play(appointment))
        .catch((error: unknown) => failed.abort(error))
        .finally(() => playing.get(index) === session && playing.delete(index));
      playing.set(index, session);
    }
    await clock.sleepUntil(toMs, signal);
  }
  await Promise.all(playing.values());
  reactingPlayers.close();
  http.close();
  failed.signal.throwIfAborted();
  return result;
}

/** All sessions that start in a span, in the order of their starts. */
export function sessionsBetween(
  simulation: Simulation,
  fromMs: number,
  toMs: number,
  reactingOf: (player: number) => Reacting | undefined = () => undefined,
): Appointment[] {
  const { players, days } = simulation;
  // A player who installs the game on a day of the span may do so at any hour.
  const daysAfter = Math.max(0, Math.ceil((toMs - firstDayMs(simulation)) / DAY_MS) - days);
  const newPlayers = (daysAfter * players) / days;
  const found: Appointment[] = [];
  for (let index = 0; index < players + newPlayers; index++) {
    // A session that starts in the span may end after it.
    const life = lifeOf(simulation, index, toMs + DAY_MS, reactingOf(index));
    for (const session of life.sessions) {
      if (session.startMs >= fromMs && session.startMs < toMs) found.push({ life, session });
    }
  }
  return found.sort((a, b) => a.session.startMs - b.session.startMs);
}
