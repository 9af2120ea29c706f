// A game server that checks who a player is without asking the service: by the service's public keys, which it caches. With a server
// key it also reports each visit as an event, and tells payers from others.
import { createServer } from 'node:http';
import { createPlayerVerifier, createServerClient, SavepointError } from '@savepoint/client/server';

const {
  SAVEPOINT_URL = 'http://127.0.0.1:8080',
  SAVEPOINT_TENANT = 'demo-studio',
  SAVEPOINT_GAME = 'demo-game',
  SAVEPOINT_SERVER_KEY: serverKey,
  PORT = '3001',
} = process.env;

const verifyPlayer = createPlayerVerifier({ baseUrl: SAVEPOINT_URL, gameId: SAVEPOINT_GAME });
const savepoint =
  serverKey && createServerClient({ baseUrl: SAVEPOINT_URL, tenantId: SAVEPOINT_TENANT, serverKey });

const server = createServer(async (request, response) => {
  const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
  try {
    const { userId, expiresAt } = await verifyPlayer(token);
    send(response, 200, {
      message: `Welcome, ${userId}.`,
      until: new Date(expiresAt).toISOString(),
      ...(savepoint && (await visit(userId))),
    });
  } catch (error) {
    if (!(error instanceof SavepointError)) throw error;
    // Without the public keys no player can be checked. That is an error of this server, not of the player.
    const isOurs = error.code === 'keys_unavailable' || !error.code.startsWith('token_');
    send(response, isOurs ? 503 : 401, {
      code: error.code,
      message: error.message,
    });
  }
});

/** Counts as an event of the player, and needs a key with the scopes events:write and players:read. */
async function visit(userId) {
  await savepoint.sendEvents([{ userId, eventType: 'Server_Visit', payload: {} }]);
  const { isPayer } = await savepoint.status(userId);
  return { isPayer: isPayer.value };
}

function send(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`Checking players at http://127.0.0.1:${server.address().port}/. Press Ctrl-C to stop.`);
});
