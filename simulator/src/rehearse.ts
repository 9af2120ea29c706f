import { createHttpFetch } from './driver/http-fetch.js';
import type { ResponseCounts } from './driver/network.js';
import { createPlayer, type Service } from './driver/play-life.js';
import { openReactingPlayers, reachable } from './driver/reacting-players.js';
import { type Appointment, sessionsBetween } from './live.js';
import type { Reactions } from './model/reaction.js';
import { eventsOf } from './model/session-events.js';
import { DAY_MS, firstDayMs, type Simulation } from './model/simulation.js';

export type RehearseOptions = {
  service: Omit<Service, 'send'>;
  /** Its players install the game on its days, and nobody later. */
  simulation: Simulation;
  /** How many days are played, from the first of the simulation on. */
  days: number;
  run: string;
  reactions: Reactions;
  /** How many players are played at a time. */
  clients: number;
  /** Moves the clock of the service to the end of a day. */
  onDay(endMs: number): Promise<void>;
  onDayPlayed(endMs: number): Promise<void>;
};

/**
 * Plays day after day on a service whose clock the caller moves, so that weeks pass in minutes. At the end of each day the players send
 * what they did on it, in sessions that end before midnight. Returns how many players were told each arm.
 */
export async function rehearse(options: RehearseOptions): Promise<Readonly<Record<string, number>>> {
  const { simulation, run, clients, onDay, onDayPlayed } = options;
  const http = createHttpFetch(clients);
  const service = { ...options.service, send: http.fetch };
  const reactingPlayers = openReactingPlayers(options.reactions);
  const responseCounts: ResponseCounts = { requests: 0, accepted: 0, duplicates: 0, lostResponses: 0 };
  const { signal } = new AbortController();

  const playDay = async (sessions: readonly Appointment[], endMs: number) => {
    const [first] = sessions;
    if (first === undefined) return;
    const { index } = first.life;
    const player = createPlayer(first.life, {
      ...{ service, run, responseCounts, signal, onEvents: () => {} },
      clock: { now: () => endMs, sleepUntil: async () => {} },
      // Every day starts with an empty storage, and numbers of its own.
      installSuffix: `day-${endMs}`,
      onTrouble: () => {},
    });
    for (const { life, session: planned } of sessions) {
      const session = {
        ...reachable(planned),
        startMs: Math.min(planned.startMs, endMs - planned.durationMs - 1),
      };
      await player.begin(session);
      const reacting = await reactingPlayers.learn(index, session.startMs, player.experiments);
      await player.track(session, eventsOf({ ...life, reacting }, session));
    }
    await player.end();
  };

  try {
    for (let day = 0; day < options.days; day++) {
      const fromMs = firstDayMs(simulation) + day * DAY_MS;
      const endMs = fromMs + DAY_MS - 1;
      await onDay(endMs);
      const sessions = sessionsBetween(simulation, fromMs, endMs + 1, reactingPlayers.of);
      const installed = sessions.filter(({ life }) => life.index < simulation.players);
      const next = byPlayer(installed).values();
      await Promise.all(
        Array.from({ length: clients }, async () => {
          for (const ofPlayer of next) await playDay(ofPlayer, endMs);
        }),
      );
      await onDayPlayed(endMs);
    }
  } finally {
    http.close();
  }
  return reactingPlayers.told;
}

function byPlayer(appointments: readonly Appointment[]): Map<number, Appointment[]> {
  const players = new Map<number, Appointment[]>();
  for (const appointment of appointments) {
    const { index } = appointment.life;
    players.set(index, [...(players.get(index) ?? []), appointment]);
  }
  return players;
}
