import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findDraft, saveDraft } from '../../../src/liveops/configs/draft.js';
import type { Explanation } from '../../../src/liveops/explanations/explain.js';
import { insertGame, insertTenant } from '../../../src/platform/admin-api/tenants.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import {
  expectGeneralError,
  gameDocument,
  get,
  offer,
  publish,
  sku,
  withoutRateLimits,
} from '../../support/data-calls.js';
import { createHarness, type Harness, postEvents, type Session } from '../../support/harness.js';

const HOUR_MS = 3_600_000;
const UNKNOWN = '0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a';

describe('POST /admin/v1/games/:game/explain', () => {
  let harness: Harness;
  let admin: AdminClient;
  let opensAt: number;
  let devices = 0;
  beforeAll(async () => {
    harness = await createHarness({ settings: withoutRateLimits() });
    admin = await openAdminClient(harness);
    opensAt = harness.clock.now() + 1000 * HOUR_MS;
    await publish(harness.pool, document, harness.clock.now());
  });
  afterAll(async () => {
    await admin.close();
    await harness.close();
  });

  const gems = sku('gems', { actualPrice: '10', offerPrice: '10' });
  const discounted = (percent: string) => ({ price: { discountPercent: percent }, promoId: 'thanks' });
  const document = gameDocument([gems], {
    segments: [
      { segmentId: 'payer', name: 'Payer', rule: 'flags.isPayer', visibleToClients: false, priority: 0 },
    ],
    offers: [offer('thank_you', { when: 'flags.isPayer', effect: discounted('25') })],
  });

  const explain = (question: object): Promise<Explanation> =>
    admin.ask<Explanation>('POST', `${GAME}/explain`, question, admin.tokens.viewer);
  const refused = (question: object) => admin.call('POST', `${GAME}/explain`, question);
  const newPlayer = (): Promise<Session> => harness.login(`explained-${++devices}`);
  const iso = (ms = harness.clock.now()) => new Date(ms).toISOString();
  const send = async (session: Session, eventType: string, payload: object) => {
    const response = await postEvents(harness.app, session, [{ eventType, timestamp: iso(), payload }]);
    expect(response.statusCode, response.body).toBe(202);
  };
  const buy = (session: Session, transactionId: string) =>
    send(session, 'Purchase', { transactionId, skuId: 'gems', price: '10', currency: 'USD' });
  /** Advances the clock, so that earlier requests are in the past. */
  const later = (ms = 1000) => {
    harness.clock.advance(ms);
    return harness.clock.now();
  };

  it('explains rule by rule what is served now', async () => {
    const session = await newPlayer();
    await buy(session, 'now-1');
    const { decision, because, ...rest } = await explain({ playerId: session.userId });
    expect(rest).toMatchObject({
      at: iso(),
      version: 2,
      source: 'current row',
      completeSince: null,
      problems: [],
    });
    expect(rest.facts).toMatchObject({ playerId: session.userId, purchaseCount: 1, spend: { USD: 10 } });
    expect(decision.segments).toMatchObject([{ segmentId: 'payer', visibleToClients: false }]);
    expect(because).toEqual({
      flags: [`Flag isPayer is true: the last purchase was at ${iso()}.`],
      segments: ['In segment payer: flags.isPayer is true (flags["isPayer"] = true).'],
      offers: ['Offer thank_you applies: flags.isPayer is true (flags["isPayer"] = true).'],
      skus: [
        'gems costs 7.50 USD: catalogue 10.00; offer thank_you asked for 7.50; a purchase belongs to promotion thanks.',
      ],
      values: [],
      experiments: [],
      predictions: expect.arrayContaining([
        'The probability of not being active in the next 7 days is 60.0%, as for an average player: less than two weeks of history whose outcome is known.',
      ]),
    });
    const store = await get(harness.app, '/v1/player/store_configs', session);
    expect(decision.storeText).toBe(store.body);
    expect(decision.storeEtag).toBe(store.headers.etag);
    expect(decision.store).toEqual(store.json());
  });

  it('is not changed by later events, refunds and versions', async () => {
    const session = await newPlayer();
    const before = harness.clock.now();
    later();
    await buy(session, 'past-1');
    const bought = await get(harness.app, '/v1/player/store_configs', session);
    const at = harness.clock.now();
    later();
    await send(session, 'Refund', { transactionId: 'past-1' });
    later();
    const shut = await publish(harness.pool, gameDocument([gems]), harness.clock.now());
    later();
    const past = await explain({ playerId: session.userId, at: iso(at) });
    expect(past).toMatchObject({ source: 'stored events', version: shut - 1, facts: { purchaseCount: 1 } });
    expect(past.decision.storeText).toBe(bought.body);
    const untouched = await explain({ playerId: session.userId, at: iso(before) });
    expect(untouched).toMatchObject({ facts: { purchaseCount: 0, eventCount: 0, lastEventAt: null } });
    expect(untouched.decision.flags.isPayer?.value).toBe(false);
    const now = await explain({ playerId: session.userId });
    expect(now).toMatchObject({ version: shut, facts: { purchaseCount: 0, eventCount: 2 } });
    // Under another version at that time.
    const other = await explain({ playerId: session.userId, at: iso(at), version: shut });
    expect(other.because.skus).toEqual(['gems costs 10.00 USD: catalogue 10.00.']);
    await publish(harness.pool, document, later());
  });

  it('counts a transaction for each player who names it', async () => {
    const [buyer, other] = [await newPlayer(), await newPlayer()];
    await buy(buyer, 'shared');
    later();
    await buy(other, 'shared');
    const at = iso();
    later();
    for (const { userId } of [buyer, other]) {
      expect((await explain({ playerId: userId, at })).facts.purchaseCount).toBe(1);
    }
  });

  it('explains the future with the facts of now', async () => {
    const session = await newPlayer();
    const offers = [offer('night', { from: iso(opensAt), effect: discounted('50') })];
    const former = harness.clock.now();
    later();
    await publish(harness.pool, gameDocument([gems], { offers }), harness.clock.now());
    const question = { playerId: session.userId, at: iso(opensAt) };
    const ahead = await explain(question);
    expect(ahead).toMatchObject({ source: 'current row', at: iso(opensAt) });
    expect(ahead.because.skus[0]).toContain('gems costs 5.00 USD');
    const justBefore = await explain({ ...question, at: iso(opensAt - 1) });
    expect(justBefore.because.offers).toEqual([`Offer night does not apply: it begins at ${iso(opensAt)}.`]);
    expect(justBefore.decision.validUntil).toBe(iso(opensAt));
    // Before its publication the offer did not exist.
    expect((await explain({ ...question, at: iso(former) })).because.offers[0]).toMatch(/^Offer thank_you/);
    await publish(harness.pool, document, later());
  });

  it('explains a document that is not saved, and reports its problems', async () => {
    const session = await newPlayer();
    const offers = [offer('for_all', { effect: discounted('50') })];
    const asked = { playerId: session.userId, document: { ...document, offers } };
    const told = await explain(asked);
    expect(told).toMatchObject({ version: 'draft', publishedAt: null, source: 'current row' });
    expect(told.because.skus[0]).toContain('gems costs 5.00 USD');
    expectGeneralError(await refused({ ...asked, version: 'draft' }), 400, 'body_invalid');
    const wrong = await refused({
      ...asked,
      document: { ...document, offers: [offer('x', { when: 'tru' })] },
    });
    expect(wrong.json().error).toMatchObject({
      code: 'document_invalid',
      problems: [{ pointer: '/offers/0/when', position: { line: 1, column: 1 } }],
    });
  });

  it('says what a player lacks for a segment', async () => {
    const session = await newPlayer();
    await buy(session, 'near-1');
    const keen = { segmentId: 'keen', name: 'Keen', visibleToClients: false, priority: 0 };
    const segments = [
      { ...keen, rule: 'flags.isPayer && purchases.total > 2' },
      { ...keen, segmentId: 'payer', rule: 'flags.isPayer' },
    ];
    const told = await explain({ playerId: session.userId, document: { ...document, segments } });
    const nearMiss = { attribute: 'purchases.total', value: 1, operator: '>=', threshold: 3, distance: 2 };
    expect(told.trace.segments.map((each) => [each.segmentId, each.nearMiss])).toEqual([
      ['keen', nearMiss],
      ['payer', null],
    ]);
    expect(told.because.segments[0]).toMatch(
      /^Not in segment keen: .* Would enter with purchases\.total of at least 3: 2 more than now\.$/,
    );
    expect(told.because.segments[1]).not.toContain('Would enter');
  });

  it('explains a hypothetical player, and accepts the facts that it returned', async () => {
    const at = iso();
    const asked = {
      purchaseCount: 1,
      lastPurchaseAt: at,
      profile: { country: 'DE' },
      days: [{ day: at.slice(0, 10), events: 3 }],
      overrides: [{ flagId: 'isPayer', value: false, until: '2100-01-01T00:00:00Z' }],
    };
    const given = await explain({ hypothetical: asked, at });
    expect(given).toMatchObject({
      source: 'hypothetical',
      facts: { profile: { country: 'DE' }, eventCount: 0 },
    });
    expect(given.because.flags[0]).toMatch(/^Flag isPayer is false: an override says so/);
    const { overrides: _, ...payer } = given.facts;
    expect((await explain({ hypothetical: given.facts, at })).decision).toEqual(given.decision);
    expect((await explain({ hypothetical: payer, at })).because.skus[0]).toContain('gems costs 7.50 USD');
  });

  it('explains the draft', async () => {
    const session = await newPlayer();
    const { pool, clock } = harness;
    const { rows } = await pool.query<{ id: number }>("select id from games where slug = 'demo-game'");
    const gameId = rows[0]?.id ?? 0;
    const { revision } = await findDraft(pool, gameId);
    const saved = await saveDraft(
      pool,
      {
        gameId,
        revision,
        document: gameDocument([gems], { offers: [offer('all', { effect: discounted('10') })] }),
      },
      { name: 'test', nowMs: clock.now() },
    );
    expect(saved.outcome).toBe('saved');
    const drafted = await explain({ playerId: session.userId, version: 'draft' });
    expect(drafted).toMatchObject({ version: 'draft', publishedAt: null });
    expect(drafted.because.skus[0]).toContain('gems costs 9.00 USD');
    expect((await explain({ playerId: session.userId })).because.skus[0]).toContain('gems costs 10.00 USD');
  });

  it('says since when events are kept', async () => {
    const session = await newPlayer();
    await send(session, 'Session_Start', {});
    const at = iso();
    later(40 * 24 * HOUR_MS);
    const day = iso().slice(0, 10);
    await harness.pool.query("update games set events_deleted_before = $1 where slug = 'demo-game'", [day]);
    const past = await explain({ playerId: session.userId, at });
    expect(past.completeSince).toBe(`${day}T00:00:00.000Z`);
    // Events that are still stored count, also those that are about to be deleted.
    expect(past.facts.eventCount).toBe(1);
    expect((await explain({ playerId: session.userId })).completeSince).toBeNull();
    await harness.pool.query('update games set events_deleted_before = null');
  });

  it('changes nothing', async () => {
    const session = await newPlayer();
    await buy(session, 'quiet-1');
    const at = iso();
    later();
    const before = await everything(harness);
    expect((await explain({ playerId: session.userId, at })).source).toBe('stored events');
    expect(await everything(harness)).toEqual(before);
  });

  it('does not wait for a transaction that has locked the player', async () => {
    const session = await newPlayer();
    await buy(session, 'held-1');
    const at = iso();
    later();
    const holder = await harness.pool.connect();
    try {
      await holder.query('begin');
      await holder.query('select from players where user_id = $1 for update', [session.userId]);
      await holder.query('lock table player_days, transactions, game_days in exclusive mode');
      const { facts } = await explain({ playerId: session.userId, at });
      expect(facts).toMatchObject({ eventCount: 1, purchaseCount: 1 });
    } finally {
      await holder.query('rollback');
      holder.release();
    }
  });

  it('refuses a wrong request', async () => {
    const { userId } = await newPlayer();
    const wrong = async (question: object, message: string) => {
      const response = await refused(question);
      expectGeneralError(response, 400, 'body_invalid');
      expect(response.json().error.message).toContain(message);
    };
    await wrong({}, 'either playerId or hypothetical');
    await wrong({ playerId: userId, hypothetical: {} }, 'either playerId or hypothetical');
    await wrong({ playerId: userId, at: 'yesterday' }, 'at must be a time');
    await wrong({ playerId: userId, at: '1969-12-31T23:59:59Z' }, 'at must be a time');
    await wrong(
      { playerId: userId, when: 1 },
      'The body has no member "when". There are playerId, at, version',
    );
    await wrong({ playerId: userId, version: 'newest' }, 'version');
    await wrong(
      { hypothetical: { purchases: 1 } },
      'hypothetical has no member "purchases". There are playerId, ',
    );
    await wrong({ hypothetical: { eventCount: -1 } }, 'hypothetical.eventCount must be');
    await wrong({ hypothetical: { purchaseCount: 1 } }, 'purchaseCount and lastPurchaseAt belong together');
    await wrong({ hypothetical: { days: [{ day: '2026-02-30' }] } }, 'days.0.day must be a time');
    expectGeneralError(await refused({ playerId: userId, version: 99 }), 404, 'version_not_found');
    for (const playerId of [UNKNOWN, 'x']) {
      expectGeneralError(await refused({ playerId }), 404, 'player_not_found');
    }
    const early = await refused({ playerId: userId, at: iso(harness.clock.now() - 1) });
    expectGeneralError(early, 404, 'player_not_found');
    expect(early.json().error.message).toContain(`first seen later, at ${iso()}`);
  });

  it("does not find another studio's game or player", async () => {
    const { userId } = await newPlayer();
    await insertTenant(harness.pool, 'rival', 'Rival');
    await insertGame(harness.pool, 'rival', 'rivals', 'Rivals');
    const token = await admin.addToken('owner', { tenant: 'rival' });
    const ask = (game: string) => admin.call('POST', `/games/${game}/explain`, { playerId: userId }, token);
    expectGeneralError(await ask('demo-game'), 404, 'game_not_found');
    expectGeneralError(await ask('rivals'), 404, 'player_not_found');
    expect((await admin.call('POST', `${GAME}/explain`, { playerId: userId }, null)).statusCode).toBe(401);
  });
});

const TABLES = [
  'players',
  'player_days',
  'event_blocks',
  'event_identities',
  'event_installs',
  'event_gaps',
  'transactions',
  'player_promotions',
  'games',
  'game_days',
  'game_event_types',
  'game_cohorts',
  'flag_overrides',
  'player_pins',
  'segment_stays',
  'audit_log',
] as const;

/** All rows with their versions, and all temporary tables. */
async function everything({ pool }: Harness): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const table of TABLES) {
    const { rows } = await pool.query(
      `select t.xmin::text, t.xmax::text, t.ctid::text, to_jsonb(t) as row from ${table} t order by 4::text`,
    );
    found.push(rows);
  }
  const { rows } = await pool.query("select relname from pg_class where relpersistence = 't'");
  return [...found, rows];
}
