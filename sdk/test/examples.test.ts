import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Savepoint } from '../src/index.js';
import { memoryStorage } from '../src/storage/memory-storage.js';
import { type RealService, startRealService } from './support/real-service.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const running: ChildProcess[] = [];
let service: RealService;

beforeAll(async () => {
  service = await startRealService();
});
afterAll(async () => {
  for (const child of running) {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill();
    await gone;
  }
  await service.close();
});

/** Starts an example as its README says, and returns the address that it prints. */
async function startExample(name: string): Promise<string> {
  const { PATH } = process.env;
  const child = spawn('npm', ['run', `example:${name}`], {
    cwd: ROOT,
    env: { PATH, PORT: '0', SAVEPOINT_URL: service.baseUrl, npm_config_update_notifier: 'false' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  let output = '';
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        output += chunk;
        const address = /http:\/\/127\.0\.0\.1:\d+\/\w*/.exec(output)?.[0];
        if (address !== undefined) resolve(address);
      });
    }
    child.once('exit', () => reject(new Error(`${name} ended: ${output}`)));
  });
}

it('the studio server signs logins for a game, and the game server knows its players', async () => {
  const [sign, gameServer] = await Promise.all([startExample('studio-server'), startExample('game-server')]);
  let accessToken = '';
  const client = new Savepoint({
    baseUrl: service.baseUrl,
    sign,
    deviceId: 'phone',
    storage: memoryStorage(),
    fetch: async (input, init) => {
      accessToken = new Headers(init?.headers).get('authorization')?.slice(7) ?? accessToken;
      return fetch(input, init);
    },
  });
  const { userId } = await client.login();
  await client.player.status();
  const ask = (token: string) => fetch(gameServer, { headers: { authorization: `Bearer ${token}` } });
  const known = await ask(accessToken);
  expect([known.status, await known.json()]).toMatchObject([200, { message: `Welcome, ${userId}.` }]);
  const unknown = await ask('a.b.c');
  expect([unknown.status, await unknown.json()]).toMatchObject([401, { code: 'token_invalid' }]);
});

it('the studio server refuses banned devices and large bodies, and lets pages of other origins ask', async () => {
  const sign = await startExample('studio-server');
  const post = (body: string) =>
    fetch(sign, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  expect((await post('{"deviceId":"banned-device"}')).status).toBe(403);
  expect((await post(JSON.stringify({ deviceId: 'x'.repeat(5_000) }))).status).toBe(413);
  expect((await post('nonsense')).status).toBe(400);
  const preflight = await fetch(sign, { method: 'OPTIONS' });
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
});
