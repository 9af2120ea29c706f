/** @module-tag full */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dashboardCells, differingCells } from '../simulator/test/support/dashboard-truth.js';
import { newInstallation, removeInstallations } from './support/installation.js';
import { get, SAVEPOINT, type Service, type Settings, startService, until } from './support/service.js';

const PLAYERS = 120;
/** Enough for the 28th day of some players. */
const DAYS = 40;
const WAIT_MS = 300_000;
const DAY_MS = 86_400_000;
let service: Service;
let settings: Settings;

beforeAll(async () => {
  // The commands have no other settings, and a busy machine must not decide a test.
  const patient = { SAVEPOINT_DB_TIMEOUT_MS: '60000' };
  settings = { SAVEPOINT_ENV: 'development', ...patient, ...(await newInstallation()) };
  service = await startService(settings);
}, 400_000);
afterAll(removeInstallations);

/** Starts a command on the installation. */
function command(...args: string[]) {
  const child = spawn(process.execPath, [SAVEPOINT, ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const end = new Promise<{ code: number | null; output: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, output })),
  );
  return { child, end, output: () => output };
}

const simulate = (...args: string[]) =>
  command(
    'simulate',
    '--url',
    service.api,
    '--players',
    String(PLAYERS),
    '--days',
    String(DAYS),
    '--seed',
    '3',
    ...args,
  );

/** What the console shows of the game. */
async function readDashboard(fromMs: number, toMs: number): Promise<Parameters<typeof dashboardCells>[0]> {
  const created = await command('admin-token', 'create', '--role', 'viewer', '--tenant', 'demo-studio').end;
  const token = /sp_admin_[A-Za-z0-9_-]+/.exec(created.output)?.[0] ?? '';
  const [from, to] = [fromMs, toMs].map((ms) => new Date(ms).toISOString().slice(0, 10));
  const url = `${service.ops}/admin/v1/games/demo-game/dashboard?from=${from}&to=${to}`;
  const { body } = await get(url, { authorization: `Bearer ${token}` });
  return (body as { data: Parameters<typeof dashboardCells>[0] }).data;
}

describe('savepoint simulate', () => {
  it('goes on after kill -9, and the service has what was sent: nothing is lost, nothing counts twice', async () => {
    const stateFile = join(settings.SAVEPOINT_DATA_DIR ?? '', `simulation-3-${PLAYERS}x${DAYS}.ndjson`);
    const playersIn = () =>
      existsSync(stateFile) ? readFileSync(stateFile, 'utf8').split('\n').length - 2 : 0;
    // One player at a time: the player who is played when the process is killed has sent a part.
    const first = simulate('--clients', '1');
    await until(() => playersIn() >= 3, WAIT_MS);
    first.child.kill('SIGKILL');
    await first.end;
    expect(playersIn()).toBeLessThan(PLAYERS);

    const refused = await command(
      'simulate',
      '--url',
      service.api,
      '--players',
      String(PLAYERS),
      '--days',
      String(DAYS + 1),
      '--state',
      stateFile,
    ).end;
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.output).toContain('holds an unfinished simulation with other options');

    const { code, output } = await simulate().end;
    expect(output).toContain('Everything agrees, also after the interruption.');
    expect(code).toBe(0);
    const cells = (label: string) => new RegExp(`^${label} +(\\S+) +(\\S+)$`, 'm').exec(output)?.slice(1);
    expect(cells('players')).toEqual([String(PLAYERS), String(PLAYERS)]);
    const [sent = '', stored] = cells('events') ?? [];
    expect(Number(sent.replaceAll(',', ''))).toBeGreaterThan(PLAYERS * 20);
    expect(stored).toBe(sent);

    // The report that studios use finds the same losses.
    const lost = cells('lost on the way') ?? [];
    expect(Number(lost[0])).toBeGreaterThan(0);
    const losses = await command(
      'losses',
      '--tenant',
      'demo-studio',
      '--game',
      'demo-game',
      '--grace-hours',
      '0',
    ).end;
    expect(losses.output).toContain(`${lost[0]} events are lost.`);

    // The dashboard shows the truth of the lives in every cell. By build: `retention-truth.test.ts` of the simulator.
    const { seed, players, days, endMs } = JSON.parse(readFileSync(stateFile, 'utf8').split('\n')[0] ?? '');
    const untilMs = Date.now();
    const dashboard = await readDashboard(endMs - 150 * DAY_MS, untilMs);
    expect(dashboard.cohorts.filter(({ retention }) => (retention['28'] ?? 0) > 0)).not.toEqual([]);
    const differences = differingCells(
      dashboardCells(dashboard),
      { seed, players, days, endMs },
      {
        sinceMs: endMs,
        untilMs,
      },
    );
    expect(differences).toEqual([]);
  });

  it('needs no database where it is given a key', async () => {
    const secretFile = join(settings.SAVEPOINT_DATA_DIR ?? '', 'secret.txt');
    writeFileSync(secretFile, 'dev-secret\n');
    const key = ['--api-key', 'dev-key', '--api-secret-file', secretFile];
    const { code, output } = await command('simulate', '--url', service.api, '--players', '20', ...key).end;
    expect(output).toContain('Everything agrees, as far as the API says.');
    expect(output).toMatch(/^acknowledged events +(\S+) +\1$/m);
    expect(code).toBe(0);
    writeFileSync(secretFile, 'another');
    const refused = await command('simulate', '--url', service.api, '--seed', '9', ...key).end;
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.output).toContain('The service refuses the API key.');
  });

  it('plays at the pace of the clock until Ctrl-C, and plays the same players when it is started again', async () => {
    const stateFile = join(settings.SAVEPOINT_DATA_DIR ?? '', 'live.ndjson');
    const runs: unknown[] = [];
    for (const _ of ['first', 'again']) {
      const live = simulate('--speed', 'real', '--state', stateFile);
      const hasEnded = () => {
        if (live.child.exitCode !== null) throw new Error(`the simulation ended: ${live.output()}`);
      };
      await until(() => live.output().includes('Press Ctrl-C to end it.'), WAIT_MS, hasEnded);
      live.child.kill('SIGINT');
      const { code, output } = await live.end;
      // How many sessions begin in such a moment depends on the time of the day.
      expect(output).toMatch(/^Played [\d,]+ sessions with [\d,]+ events\.$/m);
      expect(output).toMatch(/^The service has [\d,]+ of them, in [\d,]+ requests/m);
      expect(output).not.toContain('could not be sent');
      expect(code).toBe(0);
      runs.push(JSON.parse(readFileSync(stateFile, 'utf8').split('\n')[0] ?? '').run);
    }
    expect(runs[0]).toMatch(/^sim-3-/);
    expect(runs[1]).toBe(runs[0]);
  });

  it('says what is wrong with its options', async () => {
    const results = await Promise.all([
      simulate('--players', '0').end,
      command('simulate', '--url', 'http://127.0.0.1:9').end,
      command('simulate', '--api-key', 'dev-key').end,
      command('simulate', '--game', 'demo-gmae').end,
    ]);
    expect(results.map(({ code }) => code)).toEqual([1, 1, 1, 1]);
    for (const [at, sentence] of [
      '--players is "0": give a whole number from 1 to 1000000.',
      'The service does not respond at http://127.0.0.1:9.',
      '--api-key and --api-secret-file go together',
      'Did you mean "demo-game"?',
    ].entries()) {
      expect(results[at]?.output).toContain(sentence);
    }
  });
});
