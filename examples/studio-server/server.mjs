// The studio's own server: it keeps the API secret, and signs logins for the game.
import { createServer } from 'node:http';
import { fetchSigner } from '@savepoint/client/server';

const { SAVEPOINT_API_KEY = 'dev-key', SAVEPOINT_API_SECRET = 'dev-secret', PORT = '3000' } = process.env;
const BANNED_DEVICES = new Set(['banned-device']);
/** A client sends no more than a device id and a timestamp. */
const MAX_BODY_BYTES = 4_096;

const sign = fetchSigner({
  apiKey: SAVEPOINT_API_KEY,
  apiSecret: SAVEPOINT_API_SECRET,
  // Here a studio checks its own login, bans and rates.
  allow: (deviceId) => !BANNED_DEVICES.has(deviceId),
});

const server = createServer(async (request, response) => {
  // The game may be served from elsewhere. Name its origin here instead of * if the response depends on a cookie.
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-allow-headers', 'content-type');
  if (request.method === 'OPTIONS') return response.writeHead(204).end();
  if (request.method !== 'POST' || request.url !== '/sign') return response.writeHead(404).end();
  const body = await readBody(request);
  if (body === undefined) return response.writeHead(413).end();
  const signed = await sign(new Request('http://studio.example/sign', { method: 'POST', body }));
  response.writeHead(signed.status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  return response.end(await signed.text());
});

async function readBody(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`Signing logins at http://127.0.0.1:${server.address().port}/sign. Press Ctrl-C to stop.`);
});
