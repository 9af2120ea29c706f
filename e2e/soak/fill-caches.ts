import { type JsonResponse, login } from '../support/service.js';

/** More than a worker keeps: its tokens are of 20,000 players, and its responses of fewer. */
const PLAYERS = 40_000;
const AT_A_TIME = 16;
const SAY_EVERY = 10_000;
const READS = ['status', 'segments', 'store_configs', 'values', 'predictions'];

/**
 * As many players log in, read and send one event as fill the caches of a worker. Until they are full its memory grows with every new
 * player, as it should, and growth for another reason would not be seen.
 */
export async function fillCaches(url: string, say: (line: string) => void): Promise<void> {
  let next = 0;
  const visit = async (): Promise<void> => {
    for (let player = next++; player < PLAYERS; player = next++) {
      if (player > 0 && player % SAY_EVERY === 0)
        say(
          `filling caches: ${player.toLocaleString('en-US')} of ${PLAYERS.toLocaleString('en-US')} players`,
        );
      await play(url, `early-player-${player}`);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, visit));
}

async function play(url: string, device: string): Promise<void> {
  const { headers } = await login(url, device);
  const event = { eventType: 'Store_View', timestamp: new Date().toISOString(), payload: {} };
  const responses = [await ask(`${url}/v1/events`, headers, [event])];
  for (const name of READS) responses.push(await ask(`${url}/v1/player/${name}`, headers));
  const refused = responses.find(({ status }) => status >= 300);
  if (refused !== undefined)
    throw new Error(`a player who fills caches: ${refused.status} ${JSON.stringify(refused.body)}`);
}

/** On connections that stay open: there is one worker, and a new connection for each request would cost more than the request. */
async function ask(url: string, headers: Record<string, string>, events?: unknown): Promise<JsonResponse> {
  const body =
    events === undefined
      ? { headers }
      : {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(events),
        };
  const response = await fetch(url, body);
  return { status: response.status, body: await response.json() };
}
