import { Agent, request } from 'node:http';

/**
 * Sends batches at a fixed rate, whether answers come or not, and counts each latency from the moment at which the request
 * was due: a server that stalls cannot hide it by slowing the generator down (no coordinated omission).
 */
export async function openLoop({ api, sessions, batch, eventsPerSecond, seconds }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 512 });
  const everyMs = (1000 * batch) / eventsPerSecond;
  const total = Math.floor((seconds * 1000) / everyMs);
  const run = Date.now();
  const latencies = [];
  const begun = performance.now();
  const pending = [];
  for (let index = 0; index < total; ) {
    for (const now = performance.now(); index < total && begun + index * everyMs <= now; index++) {
      pending.push(
        send(agent, api, sessions[index % sessions.length], eventsJson(run, index, batch)).then(() =>
          latencies.push(performance.now() - (begun + index * everyMs)),
        ),
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(pending);
  agent.destroy();
  latencies.sort((a, b) => a - b);
  const at = (share) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? Number.NaN;
  return { eventsPerSecond: (total * batch) / seconds, p50Ms: at(0.5), p99Ms: at(0.99) };
}

function eventsJson(run, index, batch) {
  const timestamp = new Date().toISOString();
  return JSON.stringify(
    Array.from({ length: batch }, (_, n) => ({
      eventType: 'Ad_Impression',
      timestamp,
      payload: {
        userId: 'user-1',
        sessionId: `open-${run}`,
        adId: `ad-${index}-${n}`,
        campaignId: 'campaign-1',
      },
      metadata: { deviceType: 'phone', osName: 'Android', osVersion: '16' },
    })),
  );
}

function send(agent, api, { accessToken, tenantId }, body) {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${api}/v1/events`,
      {
        method: 'POST',
        agent,
        headers: {
          authorization: `Bearer ${accessToken}`,
          'x-tenant-id': tenantId,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        },
      },
      (response) => {
        response.resume();
        response.once('end', () =>
          response.statusCode === 202 ? resolve() : reject(new Error(`events: ${response.statusCode}`)),
        );
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}
