import { createHttpFetch } from './driver/http-fetch.js';
import type { ResponseCounts } from './driver/network.js';
import { deviceIdOf, playLife, type Service } from './driver/play-life.js';
import { openStateFile } from './driver/state-file.js';
import { lifeOf } from './model/life.js';
import { firstDayMs } from './model/simulation.js';
import type { Tally } from './model/tally.js';

export type SimulateOptions = {
  url: string;
  apiKey: string;
  apiSecret: string;
  seed: number;
  players: number;
  days: number;
  /** How many players are played at a time. */
  clients: number;
  /** The file that keeps how far the simulation has come. */
  stateFile: string;
  /** When all players are played, the caller has something to do, and then calls `endSimulation`. Until then the same call returns the same again. */
  hasSequel?: boolean;
  signal: AbortSignal;
  onProgress(progress: Progress): void;
};

export type Progress = {
  players: number;
  playersDone: number;
  /** Events that were delivered by this call. */
  events: number;
  requests: number;
  /** Why nothing moves, while the service does not respond. */
  trouble: string | undefined;
};

export type SimulationResult = {
  deviceIds: string[];
  /** What the service must have, computed from the lives alone. */
  expected: Tally;
  /** Events that the service acknowledged to the client, each counted once; also those before an interruption. */
  acknowledged: number;
  /** Events that the service refused, by code, as reported to the client. */
  refused: Readonly<Record<string, number>>;
  /** The responses of the service in this call, without those before an interruption. */
  responseCounts: ResponseCounts;
  /** Names the players of this simulation on the service. */
  run: string;
  firstDayMs: number;
  /** When it was started first: what its players did is over by then. */
  endMs: number;
  isResumed: boolean;
  /** Whether `endSimulation` has to be called: also if an earlier call has asked for it. */
  hasSequel: boolean;
};

/**
 * Plays the lives of all players up to now, as fast as the service takes them. After an interruption of any kind the same call goes on:
 * players who were being played are played again from the start of their lives, and nothing counts twice.
 */
export async function simulate(options: SimulateOptions): Promise<SimulationResult> {
  const { seed, players, days, url, apiKey, apiSecret, signal } = options;
  const http = createHttpFetch(options.clients);
  const service: Service = { url, apiKey, apiSecret, send: http.fetch };
  const state = await openStateFile(
    options.stateFile,
    { seed, players, days, target: `${url} ${apiKey}`, ...(options.hasSequel && { hasSequel: true }) },
    Date.now(),
  );
  const responseCounts: ResponseCounts = { requests: 0, accepted: 0, duplicates: 0, lostResponses: 0 };
  let events = 0;
  let trouble: string | undefined;
  const show = () => {
    const playersDone = state.finished.size;
    options.onProgress({ players, playersDone, events, requests: responseCounts.requests, trouble });
  };
  const stop = new AbortController();
  const playOptions = {
    service,
    run: state.run,
    responseCounts,
    signal: AbortSignal.any([signal, stop.signal]),
    onEvents(count: number) {
      events += count;
      if (count > 0) trouble = undefined;
      show();
    },
    onTrouble({ message }: Error) {
      trouble = message;
      show();
    },
  };

  let next = 0;
  const playPlayers = async () => {
    while (next < players) {
      const player = next++;
      if (state.finished.has(player)) continue;
      playOptions.signal.throwIfAborted();
      const played = await playLife(lifeOf(state.simulation, player), playOptions);
      state.add({ player, ...played });
      show();
    }
  };
  try {
    await Promise.all(
      Array.from({ length: options.clients }, () =>
        playPlayers().catch((error: unknown) => {
          stop.abort(error);
          throw error;
        }),
      ),
    );
  } finally {
    state.close();
    http.close();
  }
  const deviceIds = Array.from({ length: players }, (_, index) => deviceIdOf(state.run, index));
  const { expected, acknowledged, refused, isResumed, hasSequel, run, simulation } = state;
  return {
    deviceIds,
    expected,
    acknowledged,
    refused,
    responseCounts,
    run,
    firstDayMs: firstDayMs(simulation),
    endMs: simulation.endMs,
    isResumed,
    hasSequel,
  };
}
