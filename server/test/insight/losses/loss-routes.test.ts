import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError } from '../../support/data-calls.js';
import { DAY_MS } from '../../support/game-world.js';
import { adImpression, createHarness, type Harness } from '../../support/harness.js';
import { addStudio } from '../../support/session-calls.js';

type Losses = {
  from: string;
  to: string;
  graceHours: number;
  losses: unknown[];
  isCut: boolean;
  missing: unknown[];
};

/** Noon, so that no midnight comes in between. */
const NOON = Date.parse(`${new Date().toISOString().slice(0, 10)}T12:00:00.000Z`);
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

let harness: Harness;
let admin: AdminClient;
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
  harness.clock.set(NOON - 3 * DAY_MS);
  await send('device-1', '1.0', [1, 2, 5]);
  await send('device-2', '1.0', [1, 4]);
  await send('device-3', '2.0', [2, 3]);
  harness.clock.set(NOON);
  await send('device-4', '2.0', [1, 3]);
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

async function send(device: string, build: string, numbers: number[]): Promise<void> {
  const session = await harness.login(device);
  const response = await harness.app.inject({
    method: 'POST',
    url: '/v1/events',
    headers: { ...session.headers, 'x-install-id': 'phone', 'x-client-build': build },
    payload: numbers.map((seq) => adImpression(seq, harness.clock.now(), { seq })),
  });
  expect(response.statusCode, response.body).toBe(202);
}

const ask = (query = '') =>
  admin.ask<Losses>('GET', `${GAME}/losses${query}`, undefined, admin.tokens.viewer);

describe('the losses of a game', () => {
  it('are told by day, build and platform, after a day of grace', async () => {
    expect(await ask()).toEqual({
      from: dayOf(NOON - 29 * DAY_MS),
      to: dayOf(NOON),
      graceHours: 24,
      isCut: false,
      losses: [
        { day: dayOf(NOON - 3 * DAY_MS), build: '1.0', platform: 'Android', events: 4, players: 2 },
        { day: dayOf(NOON - 3 * DAY_MS), build: '2.0', platform: 'Android', events: 1, players: 1 },
      ],
      // Noticed today: it may still arrive.
      missing: [
        { build: '2.0', platform: 'Android', events: 1, players: 1, since: new Date(NOON).toISOString() },
      ],
    });
  });

  it('are those of the days and the grace that are asked for', async () => {
    const today = await ask(`?from=${dayOf(NOON)}&to=${dayOf(NOON)}&graceHours=0`);
    expect(today.losses).toEqual([]);
    harness.clock.advance(1);
    expect((await ask(`?from=${dayOf(NOON)}&graceHours=0`)).losses).toMatchObject([
      { events: 1, build: '2.0' },
    ]);
    expect((await ask(`?to=${dayOf(NOON - 4 * DAY_MS)}`)).losses).toEqual([]);
    expect((await ask(`?to=${dayOf(NOON - 3 * DAY_MS)}`)).losses).toHaveLength(2);
  });

  it('are told as missing within the grace, until they arrive', async () => {
    const late = { build: '3.0', platform: 'Android', since: new Date(harness.clock.now()).toISOString() };
    await send('device-5', '3.0', [1, 4]);
    harness.clock.advance(1_000);
    await send('device-6', '3.0', [1, 3]);
    const missing = async (query = '') => (await ask(query)).missing;
    const largest = { ...late, events: 3, players: 2 };
    expect(await missing()).toEqual([largest, expect.objectContaining({ build: '2.0', events: 1 })]);
    // The days that are asked for are those of losses.
    expect(await missing(`?to=${dayOf(NOON - 3 * DAY_MS)}`)).toHaveLength(2);
    await send('device-5', '3.0', [2, 3]);
    expect(await missing()).toMatchObject([{ build: '2.0' }, { build: '3.0', events: 1, players: 1 }]);
    await send('device-6', '3.0', [2]);
    expect(await missing()).toMatchObject([{ build: '2.0', events: 1 }]);
  });

  it('are those of a game of the studio', async () => {
    await addStudio(harness, 'other-studio', 'other-game');
    const token = await admin.addToken('viewer', { tenant: 'other-studio' });
    expectGeneralError(await admin.call('GET', `${GAME}/losses`, undefined, token), 404, 'game_not_found');
    expect(await admin.ask('GET', '/games/other-game/losses', undefined, token)).toMatchObject({
      losses: [],
      missing: [],
    });
    expect((await admin.call('GET', `${GAME}/losses`, undefined, null)).statusCode).toBe(401);
  });

  it.each(['from=x', 'to=2026-13-01', 'graceHours=-1', 'graceHours=721', 'graceHours=1&graceHours=2'])(
    'are not told for %s',
    async (query) => {
      expectGeneralError(await admin.call('GET', `${GAME}/losses?${query}`), 400, 'parameter_invalid');
    },
  );
});
