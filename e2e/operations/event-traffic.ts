import { setTimeout as sleep } from 'node:timers/promises';
import { type Login, login, post } from '../support/service.js';

const PER_BATCH = 5;
const PAUSE_MS = 100;

/** One event that a player sent, and when it was acknowledged. */
export type Sent = { sentAt: number; acknowledgedAt: number | undefined };

export type EventTraffic = Readonly<{ players: readonly Login[]; stop(): Promise<void> }>;

type Options = Readonly<{
  players: number;
  /** As clients do: a batch is sent until it is acknowledged. */
  sendsAgain?: boolean;
  /** How long each request took, responded or not. */
  onResponse?: (ms: number) => void;
}>;

/** Players who send events one batch after the other, until they are stopped. */
export async function startTraffic(
  api: string,
  sent: Map<string, Sent>,
  { players: count, sendsAgain = false, onResponse }: Options,
): Promise<EventTraffic> {
  let isStopped = false;
  const players: Login[] = [];
  for (let n = 0; n < count; n++) players.push(await login(api, `player-${n}`));
  const play = async ({ headers }: Login, player: number): Promise<void> => {
    for (let batch = 0; !isStopped; batch++) {
      const events = Array.from({ length: PER_BATCH }, (_, n) => ({
        eventId: `p${player}-b${batch}-n${n}`,
        eventType: 'Level_Complete',
        timestamp: new Date().toISOString(),
        payload: { level: batch },
      }));
      const entry: Sent = { sentAt: Date.now(), acknowledgedAt: undefined };
      for (const { eventId } of events) sent.set(eventId, entry);
      do {
        const sentAtMs = performance.now();
        const response = await post(`${api}/v1/events`, headers, events).catch(() => undefined);
        onResponse?.(performance.now() - sentAtMs);
        if (response !== undefined && response.status < 300) entry.acknowledgedAt = Date.now();
        await sleep(PAUSE_MS);
      } while (sendsAgain && entry.acknowledgedAt === undefined);
    }
  };
  const playing = Promise.all(players.map(play));
  return {
    players,
    async stop() {
      isStopped = true;
      await playing;
    },
  };
}

/** How often each event of such players is in an export. */
export function countCopies(exported: string): Map<string, number> {
  const copies = new Map<string, number>();
  for (const [, id = ''] of exported.matchAll(/"eventId":"(p\d+-b\d+-n\d+)"/g))
    copies.set(id, (copies.get(id) ?? 0) + 1);
  return copies;
}

export const countAcknowledged = (sent: ReadonlyMap<string, Sent>): number =>
  [...sent.values()].filter(({ acknowledgedAt }) => acknowledgedAt !== undefined).length;

/** After a restore to a moment: what was acknowledged before it is there once, and nothing that was sent after it. Returns what is wrong. */
export function compareWithMoment(exported: string, sent: ReadonlyMap<string, Sent>, moment: Date): string[] {
  const copies = countCopies(exported);
  const before = [...sent].filter(([, { acknowledgedAt = Infinity }]) => acknowledgedAt < moment.getTime());
  const lost = before.filter(([id]) => !copies.has(id)).length;
  const doubled = [...copies.values()].filter((count) => count > 1).length;
  const late = [...copies.keys()].filter((id) => (sent.get(id)?.sentAt ?? 0) > moment.getTime()).length;
  process.stdout.write(
    `${before.length} events were acknowledged before the moment, ${countAcknowledged(sent)} in all. Restored: ${copies.size}, lost ${lost}, doubled ${doubled}, of later ${late}\n`,
  );
  return before.length === 0 || lost + doubled + late > 0
    ? ['the restored events are not those of the moment']
    : [];
}
