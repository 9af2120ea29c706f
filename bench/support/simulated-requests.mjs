import { plainResponse } from '../../simulator/dist/driver/plain-response.js';
import { playLife } from '../../simulator/dist/driver/play-life.js';
import { lifeOf } from '../../simulator/dist/model/life.js';
import { JSON_HEADERS, loginRequest, refreshRequest, refreshTokenIn } from './auth-requests.mjs';
import { exchange, openRawConnection, rawRequest } from './raw-connection.mjs';
import { playerHeaders } from './service.mjs';

/**
 * What simulated players send, without a service: for each player logins, refreshes and batches in their order. As in a simulation, some
 * batches are sent twice, and what the simulated network swallows is missing.
 */
export async function recordRequests({ seed, players, days, clients }) {
  const simulation = { seed, players, days, endMs: Date.now() };
  const recorded = Array.from({ length: players }, () => []);
  let next = 0;
  const one = async () => {
    while (next < players) {
      const player = next++;
      await playLife(lifeOf(simulation, player), {
        service: {
          url: 'http://recorder',
          apiKey: 'key',
          apiSecret: 'secret',
          send: recorder(recorded[player]),
        },
        run: 'recorded',
        responseCounts: { requests: 0, accepted: 0, duplicates: 0, lostResponses: 0 },
        signal: new AbortController().signal,
        onEvents: () => {},
        onTrouble: (error) => {
          throw error;
        },
      });
    }
  };
  await Promise.all(Array.from({ length: clients }, one));
  return recorded;
}

/** A service that accepts everything. */
function recorder(requests) {
  return async (url, { headers, body }) => {
    // The response comes later, as over a network: meanwhile the player goes on, and the next batch fills up.
    await new Promise(setImmediate);
    const { pathname: path } = new URL(url);
    if (path !== '/v1/events') {
      requests.push({ path, events: 0 });
      const names = { userId: 'user', deviceId: 'device', gameId: 'game', tenantId: 'tenant' };
      const grant = { accessToken: 'access', refreshToken: 'refresh', expiresIn: 3_600, ...names };
      return plainResponse(200, JSON.stringify(grant));
    }
    const { length } = JSON.parse(body);
    const more = { 'x-install-id': headers['X-Install-Id'], 'x-client-build': headers['X-Client-Build'] };
    requests.push({ path, headers: more, body, events: length });
    const data = { accepted: length, duplicates: 0, rejected: [] };
    return plainResponse(202, JSON.stringify({ data, status: 'success' }));
  };
}

/**
 * Sends recorded requests, for each player one after the other. All but the tokens of refreshes is made before the measurement starts:
 * batches and refreshes belong to players who are logged in already, and the logins are those of as many others.
 */
export async function replayRequests({ api, recorded, sessions, connections }) {
  const { hostname, port } = new URL(api);
  const prepared = recorded.map((requests, player) =>
    requests.map(({ path, headers, body }) => {
      if (path === '/auth/login') return { path, bytes: loginRequest(`${sessions[player].deviceId}-again`) };
      if (path === '/auth/refresh') return { path };
      const all = { ...playerHeaders(sessions[player]), ...JSON_HEADERS, ...headers };
      return { path, bytes: rawRequest('POST', path, all, body) };
    }),
  );
  const open = await Promise.all(
    Array.from({ length: connections }, () => openRawConnection(hostname, Number(port))),
  );
  let next = 0;
  let failed = 0;
  const one = async (connection) => {
    while (next < prepared.length) {
      const player = next++;
      let { refreshToken } = sessions[player];
      for (const { path, bytes } of prepared[player]) {
        const { status, response } = await exchange(connection, bytes ?? refreshRequest(refreshToken));
        if (!EXPECTED[path].includes(status)) failed++;
        else if (path === '/auth/refresh') refreshToken = refreshTokenIn(response);
      }
    }
  };
  const begun = performance.now();
  await Promise.all(open.map(one));
  const seconds = (performance.now() - begun) / 1000;
  for (const connection of open) connection.close();
  const all = recorded.flat();
  if (failed > 0) throw new Error(`${failed} of ${all.length} recorded requests failed`);
  const batches = all.filter(({ events }) => events > 0).length;
  const events = all.reduce((sum, request) => sum + request.events, 0);
  return { batches, grants: all.length - batches, events, perSecond: events / seconds };
}

/** A batch of nothing but bad events is refused as a whole: the broken build sends some. */
const EXPECTED = { '/auth/login': [200], '/auth/refresh': [200], '/v1/events': [202, 400] };
