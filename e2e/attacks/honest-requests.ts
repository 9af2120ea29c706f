import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../support/service.js';
import type { Studio } from './studio.js';

export type Honest = { stop(): Promise<{ requests: number; refused: string[]; slowestMs: number }> };

const BETWEEN_MS = 100;
/** A process that is replaced is back long before, also on a busy machine. */
const GIVE_UP_MS = 120_000;
/** As the clients do: a connection that a killed worker had taken may never be answered. */
const CLIENT_TIMEOUT_MS = 10_000;

/** Asks what a studio needs all the time, each on a line of its own, so that a slow one does not hide the others. */
export function watchHonest(service: Service, studio: Studio): Honest {
  const asked = [
    { url: `${service.api}/v1/player/status`, headers: studio.player.headers },
    { url: `${service.ops}/admin/v1/games/${studio.game}/draft`, headers: studio.admin },
    { url: `${service.ops}/healthz`, headers: {} },
  ];
  const refused: string[] = [];
  let requests = 0;
  let slowestMs = 0;
  let isOver = false;
  const lines = asked.map(async ({ url, headers }) => {
    while (!isOver) {
      const started = performance.now();
      const status = await statusOf(url, headers);
      slowestMs = Math.max(slowestMs, performance.now() - started);
      requests++;
      if (status !== 200) refused.push(`${url}: ${status}`);
      await sleep(BETWEEN_MS);
    }
  });
  return {
    async stop() {
      isOver = true;
      await Promise.all(lines);
      return { requests, refused, slowestMs };
    },
  };
}

/** Clients send a request again whose connection was lost; the time goes on counting. */
async function statusOf(url: string, headers: Readonly<Record<string, string>>): Promise<number | string> {
  for (const begun = performance.now(); ; await sleep(BETWEEN_MS)) {
    try {
      const signal = AbortSignal.timeout(CLIENT_TIMEOUT_MS);
      return (await fetch(url, { headers: { connection: 'close', ...headers }, signal })).status;
    } catch (error) {
      if (performance.now() - begun > GIVE_UP_MS) return (error as Error).message;
    }
  }
}
