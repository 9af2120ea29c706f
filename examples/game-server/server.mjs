// A game server that checks who a player is without asking the service: by the service's public keys, which it caches.
import { createServer } from 'node:http';
import { createPlayerVerifier, SavepointError } from '@savepoint/client/server';

const { SAVEPOINT_URL = 'http://127.0.0.1:8080', SAVEPOINT_GAME = 'demo-game', PORT = '3001' } = process.env;

const verifyPlayer = createPlayerVerifier({ baseUrl: SAVEPOINT_URL, gameId: SAVEPOINT_GAME });

const server = createServer(async (request, response) => {
  const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
  try {
    const { userId, expiresAt } = await verifyPlayer(token);
    send(response, 200, { message: `Welcome, ${userId}.`, until: new Date(expiresAt).toISOString() });
  } catch (error) {
    if (!(error instanceof SavepointError)) throw error;
    // Without the public keys no player can be checked. That is an error of this server, not of the player.
    send(response, error.code === 'keys_unavailable' ? 503 : 401, {
      code: error.code,
      message: error.message,
    });
  }
});

function send(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`Checking players at http://127.0.0.1:${server.address().port}/. Press Ctrl-C to stop.`);
});
