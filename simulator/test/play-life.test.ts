import { describe, expect, it } from 'vitest';
import type { Clock } from '../src/driver/clock.js';
import { plainResponse } from '../src/driver/plain-response.js';
import { createPlayer, playLife } from '../src/driver/play-life.js';
import { type Life, lifeOf, type NetworkKind } from '../src/model/life.js';
import { eventsOf } from '../src/model/session-events.js';
import { tallyOf, total } from '../src/model/tally.js';

/** A clock on which every wait ends at once. */
const CLOCK: Clock = { now: () => Date.now(), sleepUntil: () => Promise.resolve() };

/** As much of the service as a player needs: it knows which numbers it has. */
function createService() {
  const stored = new Set<string>();
  const responseCounts = { requests: 0, accepted: 0, duplicates: 0, lostResponses: 0 };
  const send = (async (url: string, { headers, body }: { headers: Record<string, string>; body: string }) => {
    await new Promise(setImmediate);
    if (!url.endsWith('/v1/events')) {
      const names = { userId: 'user', deviceId: 'device', gameId: 'game', tenantId: 'tenant' };
      const tokens = { accessToken: 'access', refreshToken: 'refresh', expiresIn: 3_600 };
      return plainResponse(200, JSON.stringify({ ...names, ...tokens }));
    }
    const names = (JSON.parse(body) as { seq: number }[]).map(
      ({ seq }) => `${headers['X-Install-Id']} ${seq}`,
    );
    const isNew = names.map((name) => !stored.has(name));
    for (const name of names) stored.add(name);
    const accepted = isNew.filter(Boolean).length;
    const data = { accepted, duplicates: names.length - accepted, rejected: [] };
    return plainResponse(202, JSON.stringify({ data, status: 'success' }));
  }) as unknown as typeof fetch;
  const options = {
    service: { url: 'http://service', apiKey: 'key', apiSecret: 'secret', send },
    run: 'run',
    responseCounts,
    signal: new AbortController().signal,
    clock: CLOCK,
    onEvents: () => {},
    onTrouble: () => {},
  };
  return { stored, responseCounts, options };
}

const SIMULATION = { seed: 11, players: 60, days: 30, endMs: Date.UTC(2026, 10, 15, 17, 30) };

function lifeWith(network: NetworkKind): { life: Life; session: Life['sessions'][number] } {
  const life = lifeOf(SIMULATION, 0);
  const first = life.sessions[0];
  if (first === undefined) throw new Error('every player plays');
  // Short enough for one batch, which is sent at the end.
  const session = { ...first, network, durationMs: 300_000, build: '1.0.0' };
  return { life, session };
}

describe('a session at the pace of the clock that is ended by Ctrl-C', () => {
  it.each([
    ['online', { lostResponses: 0, duplicates: 0 }],
    ['offline', { lostResponses: 0, duplicates: 0 }],
    ['flaky', { lostResponses: 1 }],
  ] as const)('delivers what it has tracked, each event once: %s', async (network, lost) => {
    const { stored, responseCounts, options } = createService();
    const { life, session } = lifeWith(network);
    const events = eventsOf(life, session);
    const player = createPlayer(life, options);
    const ctrlC = new AbortController();
    await player.begin(session);
    await player.trackLive(events, ctrlC.signal, () => {});
    ctrlC.abort();
    await player.end(ctrlC.signal);
    expect(stored.size).toBe(events.length);
    expect(player.played()).toEqual({ acknowledged: events.length, refused: {} });
    expect(responseCounts).toMatchObject(lost);
    expect(responseCounts.duplicates).toBe(lost.lostResponses * events.length);
  });

  it('delivers nothing where a proxy acknowledges the events', async () => {
    const { stored, options } = createService();
    const { life, session } = lifeWith('swallowed');
    const player = createPlayer(life, options);
    await player.begin(session);
    await player.trackLive(eventsOf(life, session), options.signal, () => {});
    await player.end();
    expect(stored.size).toBe(0);
    expect(player.swallowed()).toBe(eventsOf(life, session).length);
  });

  it('tracks nothing after Ctrl-C', async () => {
    const { stored, options } = createService();
    const { life, session } = lifeWith('online');
    const player = createPlayer(life, options);
    await player.begin(session);
    await player.trackLive(eventsOf(life, session), AbortSignal.abort(), () => {});
    await player.end(AbortSignal.abort());
    expect(stored.size).toBe(0);
  });
});

describe('a whole life', () => {
  it('delivers what its tally says, whatever the networks of its sessions do', async () => {
    for (let index = 0; index < SIMULATION.players; index++) {
      const { stored, options } = createService();
      const life = lifeOf(SIMULATION, index);
      const { tally, acknowledged } = await playLife(life, options);
      expect(tally).toEqual(tallyOf(life));
      // This service refuses nothing.
      expect(stored.size).toBe(total(tally.events) + total(tally.refused));
      expect(acknowledged).toBe(stored.size);
    }
  });
});
