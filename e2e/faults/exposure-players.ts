import { setTimeout as sleep } from 'node:timers/promises';
import { get, type JsonResponse, type Login, login, post, until } from '../support/service.js';
import { ACTIVATION } from './exposure-document.js';
import { type Reading, readLogin, readStatus, readStore, readValues } from './exposure-readings.js';
import type { Random } from './random.js';
import type { Span, ToldArms } from './told-arms.js';

export type Player = {
  readonly number: number;
  login?: Login;
  /** When the last read of all arms that was answered had begun. */
  readAt: number;
  /** The times of the events that were acknowledged and that activate. */
  readonly visits: number[];
  events: number;
};

/** Players who read and send through both nodes, until they are stopped. */
export type Players = Readonly<{
  all: readonly Player[];
  /** So many more log in for the first time, at almost the same moment. */
  arrive(count: number): void;
  /** Whether a player is answered there. */
  canRead(api: string): Promise<boolean>;
  /** Resolves when every player has read all arms by a request that began after this call. */
  settle(): Promise<void>;
  /** Resolves when all that was sent is acknowledged. */
  stop(): Promise<void>;
  /** Every player reads all arms through each node. */
  readAll(): Promise<void>;
}>;

type Options = Readonly<{ apis: () => readonly string[]; told: ToldArms; random: Random }>;

const READS = [
  { path: 'values', read: readValues },
  { path: 'status', read: readStatus },
  { path: 'store_configs', read: readStore },
] as const;
type Read = Readonly<{ path: string; read: (body: never) => Reading }>;
const VALUES: Read = READS[0];

const ARRIVAL_MS = 300;
const PAUSE_MS = 3_000;
const RETRY_MS = 200;
/** Longer than any repair takes. */
const HANG_MS = 300_000;
/** As long as clients commonly wait, and longer than the service takes to return 503. */
const TIMEOUT_MS = 15_000;
const READERS = 16;

export function startPlayers({ apis, told, random }: Options): Players {
  const all: Player[] = [];
  const playing: Promise<void>[] = [];
  let isOver = false;
  let readSince = 0;

  /** A connection that a worker was being given when it was killed is neither answered nor closed before Node 22.12. */
  const inTime = async <T>(response: Promise<T>): Promise<T> => {
    const isOver = new AbortController();
    const tooLate = sleep(TIMEOUT_MS, undefined, { signal: isOver.signal }).then(() => {
      told.timedOut++;
      throw new TypeError('no response in time');
    });
    // It is aborted after each response that comes.
    tooLate.catch(() => {});
    response.catch(() => {});
    try {
      return await Promise.race([response, tooLate]);
    } finally {
      isOver.abort();
    }
  };

  const logIn = async (player: Player): Promise<Login> => {
    for (const hangsAt = Date.now() + HANG_MS; ; await sleep(RETRY_MS)) {
      const beganAt = Date.now();
      const api = random.pick(apis());
      const session = await inTime(login(api, `exposed-${player.number}`)).catch((error: Error) => error);
      const span = { beganAt, endedAt: Date.now() };
      if (!(session instanceof Error)) {
        player.login = session;
        tell(player, 'a login', span, readLogin(session.playerConfig as never));
        return session;
      }
      told.keepSilent({ ...span, player: player.number, isLost: true });
      const isTemporary = session instanceof TypeError || /^login: (429|503) /.test(session.message);
      if (!isTemporary || Date.now() > hangsAt) throw session;
    }
  };

  const tell = (player: Player, response: string, span: Span, { complaint, ...reading }: Reading): void => {
    if (complaint !== undefined) told.complain(`player ${player.number}, ${response}: ${complaint}`);
    told.tell(player.number, response, span, reading);
    if (reading.isWhole) player.readAt = Math.max(player.readAt, span.beganAt);
    else told.keepSilent({ ...span, player: player.number, isLost: false });
  };

  /** False if it has to be repeated. */
  const read = async (player: Player, { headers }: Login, api: string, what: Read): Promise<boolean> => {
    const beganAt = Date.now();
    const url = `${api}/v1/player/${what.path}`;
    const response = await inTime(get(url, headers)).catch(() => undefined);
    const span = { beganAt, endedAt: Date.now() };
    if (response?.status === 200) {
      tell(player, what.path, span, what.read(response.body as never));
      return true;
    }
    told.keepSilent({ ...span, player: player.number, isLost: true });
    complainUnlessTemporary(player, what.path, response);
    await sleep(RETRY_MS);
    return false;
  };

  const complainUnlessTemporary = ({ number }: Player, request: string, response?: JsonResponse): void => {
    if (response === undefined || response.status === 429 || response.status === 503) return;
    told.complain(`player ${number}, ${request}: ${response.status} ${JSON.stringify(response.body)}`);
  };

  /** The same event, until it is acknowledged. */
  const send = async (player: Player, { headers }: Login): Promise<void> => {
    const sentAt = Date.now();
    const number = player.events++;
    const [eventType, payload] = random.pick(eventsOf(player, number));
    const timestamp = new Date(sentAt).toISOString();
    const event = { eventId: `exposed-${player.number}-${number}`, eventType, timestamp, payload };
    for (;;) {
      const url = `${random.pick(apis())}/v1/events`;
      const response = await inTime(post(url, headers, [event])).catch(() => undefined);
      if (response?.status === 202) break;
      complainUnlessTemporary(player, 'an event', response);
      if (Date.now() > sentAt + HANG_MS) throw new Error('an event was not acknowledged');
      await sleep(RETRY_MS);
    }
    if (eventType === ACTIVATION) player.visits.push(sentAt);
  };

  const act = async (player: Player, session: Login): Promise<void> => {
    const draw = random.fraction();
    if (player.readAt < readSince) await read(player, session, random.pick(apis()), VALUES);
    else if (draw < 0.3) {
      const [one = '', other = ''] = random.shuffle(apis());
      await Promise.all([
        read(player, session, one, VALUES),
        read(player, session, other, random.pick<Read>(READS)),
      ]);
    } else if (draw < 0.7) await read(player, session, random.pick(apis()), random.pick<Read>(READS));
    else await send(player, session);
  };

  const play = async (player: Player): Promise<void> => {
    await sleep(random.integer(ARRIVAL_MS));
    const session = await logIn(player);
    while (!isOver) {
      if (player.readAt >= readSince) await sleep(random.integer(PAUSE_MS));
      await act(player, session);
    }
  };

  return {
    all,
    arrive(count) {
      for (let n = 0; n < count; n++) {
        const player: Player = { number: all.length, readAt: 0, visits: [], events: 0 };
        all.push(player);
        const life = play(player).catch((error: Error) =>
          told.complain(`player ${player.number} could not go on: ${error.message}`),
        );
        playing.push(life);
      }
    },
    async canRead(api) {
      const [player] = all;
      return player?.login !== undefined && (await read(player, player.login, api, VALUES));
    },
    async settle() {
      readSince = Date.now();
      const isBehind = ({ readAt }: Player) => readAt < readSince;
      await until(() => !all.some(isBehind), HANG_MS).catch(() => {
        const behind = all.filter(isBehind).map(({ number }) => number);
        throw new Error(`players ${behind.join(', ')} cannot read. ${told.problems.join('\n')}`);
      });
    },
    async stop() {
      isOver = true;
      await Promise.all(playing);
    },
    async readAll() {
      const left = all.flatMap((player) => apis().map((api) => ({ player, api })));
      const lane = async () => {
        for (let next = left.pop(); next !== undefined; next = left.pop()) {
          const { player, api } = next;
          if (player.login === undefined) throw new Error(`player ${player.number} never came in`);
          const hangsAt = Date.now() + HANG_MS;
          while (!(await read(player, player.login, api, VALUES)))
            if (Date.now() > hangsAt) throw new Error(`${api} does not answer`);
        }
      };
      await Promise.all(Array.from({ length: READERS }, lane));
    },
  };
}

/** One of them is sent. Who buys something is in a segment from then on. */
function eventsOf({ number: player }: Player, number: number) {
  const purchase = {
    transactionId: `order-${player}-${number}`,
    skuId: 'gems',
    price: 9.99,
    currency: 'USD',
  };
  return [
    ['Level_Complete', { level: number }],
    [ACTIVATION, {}],
    ['Purchase', purchase],
  ] as const;
}
