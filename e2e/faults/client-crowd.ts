import { setTimeout as sleep } from 'node:timers/promises';
import { memoryStorage, Savepoint } from '@savepoint/client';
import { signLogin } from '@savepoint/client/server';
import type { Random } from './random.js';

/** Players with the client of games, who know what they have tracked. */
export type Crowd = {
  /** By the name of the device. Events are numbered from 0 in `payload.n`. */
  tracked(): Map<string, number>;
  /** Clients that had a session and logged in again, which happens only when the session was ended. */
  loggedOut(): string[];
  /** Sends the events that wait, as far as possible now. */
  flush(): Promise<void>;
  /** Resolves when every client has tracked enough. */
  readonly finished: Promise<void>;
  stop(): void;
  close(): Promise<void>;
};

type Options = {
  url: string;
  clients: number;
  /** How many events each player tracks, unless the crowd is stopped first. */
  eventsEach: number;
  /** The longest pause between two events of a player. */
  pauseMs: number;
  batchSeconds: number;
  random: Random;
};

type Player = { deviceId: string; client: Savepoint; tracked: number; logins: number; isIn: boolean };

const KEY = { apiKey: 'dev-key', apiSecret: 'dev-secret' };
const LOGIN_PAUSE_MS = 500;

export function startCrowd(options: Options): Crowd {
  let isStopped = false;
  const players = Array.from({ length: options.clients }, (_, index) => createPlayer(index, options));

  const play = async (player: Player) => {
    await logIn(player, () => isStopped);
    while (!isStopped && player.tracked < options.eventsEach) {
      player.client.track('Step', { n: player.tracked++ });
      await sleep(options.random.integer(options.pauseMs));
    }
  };
  const finished = Promise.all(players.map(play)).then(() => {});
  return {
    finished,
    tracked: () => new Map(players.map(({ deviceId, tracked }) => [deviceId, tracked])),
    loggedOut: () => players.filter(({ logins }) => logins > 1).map(({ deviceId }) => deviceId),
    async flush() {
      await Promise.all(players.map(({ client }) => client.flush()));
    },
    stop: () => {
      isStopped = true;
    },
    async close() {
      await Promise.all(players.map(({ client }) => client.close()));
    },
  };
}

function createPlayer(index: number, { url, batchSeconds }: Options): Player {
  const deviceId = `phone-${index}`;
  const player: Player = {
    deviceId,
    tracked: 0,
    logins: 0,
    isIn: false,
    client: new Savepoint({
      baseUrl: url,
      deviceId,
      storage: memoryStorage(),
      build: '1.0.0',
      batch: { seconds: batchSeconds },
      sign: (id, timestamp) => {
        // The first login may take several tries.
        if (player.isIn || player.logins === 0) player.logins++;
        return signLogin({ ...KEY, deviceId: id, ...(timestamp !== undefined && { timestamp }) });
      },
    }),
  };
  return player;
}

async function logIn(player: Player, isStopped: () => boolean): Promise<void> {
  while (!player.isIn && !isStopped()) {
    try {
      await player.client.login();
      player.isIn = true;
    } catch {
      await sleep(LOGIN_PAUSE_MS);
    }
  }
}
