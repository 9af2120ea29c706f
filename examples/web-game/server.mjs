// Serves the game, and starts the studio's signing server beside it: one command for everything but the service.
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const { SAVEPOINT_URL = 'http://127.0.0.1:8080', FAKE_STORE_URL, PORT = '3100' } = process.env;
const TYPES = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
};
/** The client as `tsc` has made it: the browser loads its modules one by one, without a bundler. */
const FOLDERS = {
  '/sdk/': new URL('../../sdk/dist/', import.meta.url),
  '/': new URL('public/', import.meta.url),
};

const signUrl = await startSigner();
const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url, 'http://game.example');
  if (pathname === '/settings.json') {
    response.writeHead(200, { 'content-type': 'application/json' });
    return response.end(JSON.stringify({ baseUrl: SAVEPOINT_URL, sign: signUrl, shop: FAKE_STORE_URL }));
  }
  const content = await readPublic(pathname === '/' ? '/index.html' : pathname);
  if (content === undefined) return response.writeHead(404).end();
  response.writeHead(200, {
    'content-type': `${TYPES[extname(pathname)] ?? 'text/html'}; charset=utf-8`,
    'cache-control': 'no-cache',
  });
  return response.end(content);
});

/** Undefined for files that do not exist. `URL` resolves `..`, and only plain names are looked up. */
async function readPublic(pathname) {
  const [prefix, folder] = Object.entries(FOLDERS).find(([start]) => pathname.startsWith(start));
  const name = pathname.slice(prefix.length);
  if (!/^[\w-]+(\/[\w-]+)*\.\w+$/.test(name)) return undefined;
  return readFile(new URL(name, folder)).catch(() => undefined);
}

/** The signing server of the example studio-server, on a free port. It ends with this process. */
function startSigner() {
  const file = fileURLToPath(new URL('../studio-server/server.mjs', import.meta.url));
  const signer = spawn(process.execPath, [file], {
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => signer.kill());
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit());
  return new Promise((resolve, reject) => {
    signer.once('exit', () => reject(new Error('The signing server ended.')));
    createInterface({ input: signer.stdout }).on('line', (line) => {
      const url = /http:\S+\/sign/.exec(line)?.[0];
      if (url !== undefined) resolve(url);
    });
  });
}

server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(
    `Play at http://127.0.0.1:${server.address().port}/ (service: ${SAVEPOINT_URL}). Press Ctrl-C to stop.`,
  );
});
