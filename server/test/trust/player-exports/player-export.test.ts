import { Compile } from 'typebox/schema';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PLAYER_TABLES } from '../../../src/platform/db/player-tables.js';
import { PlayerExport } from '../../../src/trust/player-exports/export-schemas.js';
import { EXPORT_SECTIONS, TABLE_EXPORTS } from '../../../src/trust/player-exports/export-sections.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError, get } from '../../support/data-calls.js';
import { addExportedPlayer } from '../../support/exported-player.js';
import { createHarness, type Harness, type Session } from '../../support/harness.js';
import { addStudio } from '../../support/session-calls.js';

const HOUR_MS = 3_600_000;
const PATH = '/v1/player/export';

let harness: Harness;
let admin: AdminClient;
let session: Session;
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
  session = await addExportedPlayer(harness, admin, 'exported');
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

type Exported = Record<string, unknown> & { player: Record<string, unknown>; events: unknown[] };
const adminPath = (userId = session.userId) => `${GAME}/players/${userId}/export`;

describe('the export of a player', () => {
  it('has every table of a player, or says why not', () => {
    expect(Object.keys(TABLE_EXPORTS).toSorted()).toEqual(PLAYER_TABLES.map(({ name }) => name).toSorted());
    for (const table of Object.values(TABLE_EXPORTS)) {
      if ('apart' in table) expect(PlayerExport.properties).toHaveProperty(table.apart);
      else if ('rows' in table) expect(PlayerExport.properties).toHaveProperty(table.member);
      else expect(table.why).not.toBe('');
    }
  });

  it('is one JSON document by the published schema, with all that is stored', async () => {
    const response = await get(harness.app, PATH, session);
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'content-disposition': `attachment; filename="player-${session.userId}.json"`,
    });
    const exported = response.json<Exported>();
    expect([...Compile(PlayerExport).Errors(exported)[1]]).toEqual([]);
    expect(undocumented(exported, PlayerExport)).toEqual([]);
    for (const { member } of EXPORT_SECTIONS) expect(exported[member], member).not.toEqual([]);
    expect(exported).toMatchObject({
      format: 'savepoint-player-export',
      formatVersion: 1,
      tenantId: 'demo-studio',
      player: { playerId: session.userId, eventCount: 5, purchaseCount: 1, spend: { USD: 4.99 } },
      flags: { isPayer: { value: true } },
      transactions: [{ transactionId: 't-exported', price: 4.99, currency: 'USD' }],
      overrides: [{ flagId: 'isPayer', value: true, reason: 'Paid by bank transfer' }],
      pins: [{ kind: 'value', target: 'jump_height', value: { height: 5 }, reason: 'Test device' }],
      segmentStays: [{ segmentId: 'leaving', leftAt: null }],
      experiments: [
        {
          ...{ experimentId: 'price_test', seed: '1', variantId: 'b', activatedAt: null },
          ...{ forecast: null, segments: ['payers', 'late'] },
        },
      ],
      devices: [{ deviceId: 'exported' }],
      sessions: [{ deviceId: 'exported' }],
      missingEvents: [{ installId: 'install-1', first: 3, last: 4 }],
      notes: [{ text: 'Wrote to support.' }],
      refusedEvents: [{ sent: expect.stringContaining('Broken') }],
    });
    expect(exported.predictions).toHaveProperty('churn.explanation');
    expect(exported.events).toHaveLength(5);
    expect(exported.events).toContainEqual(
      expect.objectContaining({
        eventId: 'e-9',
        eventType: 'Ad_Impression',
        payload: expect.objectContaining({ adId: 'ad-9' }),
      }),
    );
  });

  it('has no secret, and no name of a person of the studio', async () => {
    const { body } = await admin.call('GET', adminPath());
    const { rows } = await harness.pool.query<{ secret: string }>(
      `select unnest(array[encode(tag_key, 'hex'), encode(current_hash, 'hex'), encode(tag_key, 'base64'),
         encode(current_hash, 'base64')]) as secret
       from sessions s join players p on p.id = s.player_id where p.user_id = $1`,
      [session.userId],
    );
    const secrets = [...rows.map(({ secret }) => secret), session.accessToken, session.refreshToken];
    for (const secret of secrets) expect(body).not.toContain(secret);
    expect(body).not.toMatch(/hash|token|secret|sealed|tag_?key|fingerprint|editor of demo-studio/i);
  });

  it('can be taken once an hour, on whichever node, and changes no row version', async () => {
    const { app } = await harness.addNode();
    const player = await harness.login('hourly');
    const version = async () =>
      (await harness.pool.query('select xmin from players where user_id = $1', [player.userId])).rows;
    const before = await version();
    const both = await Promise.all([get(harness.app, PATH, player), get(app, PATH, player)]);
    expect(both.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 429]);
    harness.clock.advance(600_500);
    const refused = await get(app, PATH, player);
    expectGeneralError(refused, 429, 'rate_limited');
    expect(refused.headers['retry-after']).toBe('3000');
    harness.clock.advance(HOUR_MS - 600_500);
    const again = await harness.login('hourly');
    expect((await get(harness.app, PATH, again)).statusCode).toBe(200);
    expect(await version()).toEqual(before);
  });

  it('needs the token of the player', async () => {
    const other = await harness.login('another');
    const refused = await get(harness.app, PATH, other, { 'x-player-id': session.userId });
    expectGeneralError(refused, 403, 'player_mismatch');
    expect((await harness.app.inject({ url: PATH })).statusCode).toBe(401);
    expect((await harness.app.inject({ url: PATH, method: 'HEAD' })).statusCode).toBe(405);
  });
});

describe('the export of a player for the studio', () => {
  it('is the same document, for editors, as often as they want, and in the audit log', async () => {
    expectGeneralError(
      await admin.call('GET', adminPath(), undefined, admin.tokens.viewer),
      403,
      'role_too_low',
    );
    const [one, two] = [await admin.call('GET', adminPath()), await admin.call('GET', adminPath())];
    expect(one.statusCode).toBe(200);
    expect(two.statusCode).toBe(200);
    expect(one.json()).toMatchObject({ player: { playerId: session.userId } });
    expect(one.json<Exported>().events).toHaveLength(5);
    const { entries } = await admin.ask<{ entries: unknown[] }>(
      'GET',
      '/audit-log?limit=1',
      undefined,
      admin.tokens.owner,
    );
    expect(entries).toMatchObject([
      { action: 'player.export', target: `player ${session.userId}`, actor: 'editor of demo-studio' },
    ]);
  });

  it('does not find the player of another studio, or of none', async () => {
    const studio = await addStudio(harness, 'other-studio', 'other-game');
    const foreign = await studio.login('theirs');
    expectGeneralError(await admin.call('GET', adminPath(foreign.userId)), 404, 'player_not_found');
    expectGeneralError(await admin.call('GET', adminPath('nobody')), 404, 'player_not_found');
  });
});

type Documented = Readonly<{
  properties?: Record<string, unknown>;
  items?: unknown;
  patternProperties?: Record<string, unknown>;
}>;

/** The members that the schema does not name. */
function undocumented(value: unknown, schema: unknown, path = ''): string[] {
  const { properties, items, patternProperties } = schema as Documented;
  if (Array.isArray(value)) return value.flatMap((each) => undocumented(each, items ?? {}, `${path}[]`));
  if (typeof value !== 'object' || value === null) return [];
  const [of] = Object.values(patternProperties ?? {});
  if (properties === undefined) {
    return Object.entries(value).flatMap(([name, each]) => undocumented(each, of ?? {}, `${path}.${name}`));
  }
  return Object.entries(value).flatMap(([name, each]) =>
    name in properties ? undocumented(each, properties[name], `${path}.${name}`) : [`${path}.${name}`],
  );
}
