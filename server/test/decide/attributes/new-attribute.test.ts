import { fastify } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Attribute } from '../../../src/decide/attributes/attribute.js';
import { AttributeRegistry } from '../../../src/decide/attributes/attribute-registry.js';
import { attributeTable } from '../../../src/decide/attributes/attribute-table.js';
import { ATTRIBUTES } from '../../../src/decide/attributes/attributes.js';
import { profile } from '../../../src/decide/attributes/define-attributes.js';
import { TIME_BASIS } from '../../../src/decide/attributes/time-basis.js';
import { compileDocument } from '../../../src/decide/compile/compile-document.js';
import { decide } from '../../../src/decide/decide/decide.js';
import { validateDocument } from '../../../src/decide/validate/validate-document.js';
import { dryRun } from '../../../src/liveops/dry-runs/dry-run.js';
import { explain } from '../../../src/liveops/explanations/explain.js';
import { createRebuildPool } from '../../../src/liveops/explanations/rebuild-connections.js';
import { DAY_MS } from '../../../src/platform/lib/day.js';
import { studioRoutes } from '../../../src/studio/games-and-keys/studio-routes.js';
import { type AdminClient, adminContext, openAdminClient } from '../../support/admin-calls.js';
import { withoutRateLimits } from '../../support/data-calls.js';
import { createHarness, type Harness, postEvents } from '../../support/harness.js';
import { configWith, day, facts, NOW, segment } from '../support/fixtures.js';

/**
 * One definition, given to the registry and to nothing else. Everything that shows or evaluates attributes must have it.
 * Its names are nested and its types are those that predictions need.
 */
const LOYALTY: Attribute = {
  name: 'loyalty',
  usage: 'loyalty.week.share',
  type: 'Loyalty',
  description: 'How regularly the player came, and what they paid with.',
  key: null,
  value: null,
  fields: [
    {
      name: 'week.share',
      type: 'double',
      description: 'active days of the last 7, as a share',
      basis: TIME_BASIS.midnight,
      workCost: 30,
      readerOf: () => (attributes) => attributes.sums(ACTIVE_DAYS).last7d / 7,
      factsOf: () => [{ of: 'days', source: 'events', key: null, window: 'last7d' }],
    },
    {
      name: 'week.band',
      type: 'string',
      description: 'high from 3 days on, else low',
      basis: TIME_BASIS.midnight,
      workCost: 30,
      readerOf: () => (attributes) => (attributes.sums(ACTIVE_DAYS).last7d >= 3 ? 'high' : 'low'),
      factsOf: () => [{ of: 'days', source: 'events', key: null, window: 'last7d' }],
    },
    {
      name: 'paidWith',
      type: 'string',
      description: 'currency of the last purchase',
      basis: TIME_BASIS.never,
      workCost: 0,
      readerOf: () => (attributes) => attributes.facts.profile.paidCurrency?.v ?? '',
      factsOf: () => [profile('paidCurrency')],
    },
  ],
};
const ACTIVE_DAYS = {
  id: 'loyalty',
  ofDay: ({ events }: { events: number }) => (events > 0 ? 1 : 0),
  finish: (sum: number) => sum,
};

const attributes = new AttributeRegistry([...ATTRIBUTES, LOYALTY]);
const withRule = (rule: string) => configWith({ segments: [segment('loyal', rule)] });
const document = withRule(
  'loyalty.week.share > 0.4 && loyalty.week.band == "high" && loyalty.paidWith == "EUR"',
);

describe('an attribute that is defined in one place', () => {
  const today = Math.floor(NOW / DAY_MS);
  const regular = facts({
    days: [0, 2, 4].map((ago) => day(today - ago, { events: 5 })),
    profile: { paidCurrency: { v: 'EUR', t: NOW } },
  });

  it('can be used in a rule, which holds until the time basis says otherwise', () => {
    expect(validateDocument(document, attributes)).toMatchObject({ ok: true });
    const compiled = compileDocument(document, { version: 1, publishedAt: 0 }, undefined, attributes);
    const decision = decide(compiled, regular, NOW);
    expect(decision.segments.map(({ segmentId }) => segmentId)).toEqual(['loyal']);
    expect(decision.validUntil).toBe((today + 1) * DAY_MS);
    expect(decide(compiled, facts(), NOW).segments).toEqual([]);
  });

  it.each([
    ['loyalty == 1', '"loyalty" is no value by itself: write loyalty.week.share.'],
    ['loyalty.week > 1', '"loyalty" has no "week", but week.share, week.band, paidWith.'],
    ['loyalty.weak.share > 1.0', '"loyalty" has no "weak.share", but week.share, week.band, paidWith.'],
    ['loyalty.week.share == "high"', 'The types do not fit: double == string.'],
    ['loyalty.week.band + "er" == "higher"', 'Texts cannot be joined.'],
    ['int(loyalty.paidWith) == 1', 'int converts numbers only.'],
    ['["a"].exists(loyalty, loyalty == "a")', '"loyalty" is an attribute: give the variable another name.'],
    ['loyalti.week.share > 0.5', 'There is no attribute "loyalti". Did you mean "loyalty"?'],
  ])('is checked in %s', (rule, message) => {
    const validation = validateDocument(withRule(rule), attributes);
    expect(validation.ok ? [] : validation.problems.map((problem) => problem.message)).toEqual([message]);
  });

  it('does not exist without its definition', () => {
    expect(validateDocument(document)).toMatchObject({
      ok: false,
      problems: [
        { message: expect.stringMatching(/^There is no attribute "loyalty"\./) },
        { message: expect.stringMatching(/^There is no attribute "loyalty"\./) },
        { message: expect.stringMatching(/^There is no attribute "loyalty"\./) },
      ],
    });
  });

  it('is in the documentation', () => {
    expect(attributeTable(attributes).split('\n').at(-1)).toBe(
      '| `loyalty` | `loyalty.week.share` | `week.share`: double; `week.band`, `paidWith`: string | How regularly the player came, and what they paid with. | `week.share`, `week.band`: at midnight UTC; `paidWith`: no |',
    );
  });
});

describe('an attribute that is defined in one place, on a database', () => {
  let harness: Harness;
  let admin: AdminClient;
  let gameId: number;
  let regular: string;
  beforeAll(async () => {
    harness = await createHarness({ settings: withoutRateLimits() });
    admin = await openAdminClient(harness);
    const { rows } = await harness.pool.query<{ id: number }>('select id from games');
    gameId = rows[0]?.id ?? 0;
    regular = await visit('regular', [0, 1, 2, 3], 'EUR');
    await visit('regular-elsewhere', [0, 1, 2, 3], 'USD');
    await visit('rare', [0], 'EUR');
    await harness.login('never');
  });
  afterAll(async () => {
    await admin.close();
    await harness.close();
  });

  /** A player with a purchase on each of these days. */
  async function visit(device: string, daysAgo: readonly number[], currency: string): Promise<string> {
    const session = await harness.login(device);
    const events = daysAgo.map((ago) => ({
      eventType: 'Purchase',
      timestamp: new Date(harness.clock.now() - ago * DAY_MS).toISOString(),
      payload: { transactionId: `${device}-${ago}`, skuId: 'gems', price: '1', currency },
    }));
    const response = await postEvents(harness.app, session, events);
    expect(response.statusCode, response.body).toBe(202);
    return session.userId;
  }

  it('is read by a dry run', async () => {
    const outcome = await dryRun(harness.pool, {
      gameId,
      before: configWith(),
      after: document,
      nowMs: harness.clock.now(),
      attributes,
    });
    if (outcome.outcome !== 'done') throw new Error(outcome.outcome);
    const [loyal] = outcome.result.segments;
    expect(loyal).toMatchObject({
      segmentId: 'loyal',
      counts: { before: 0, after: 1, enter: 1 },
      examples: { enter: [regular] },
    });
  });

  it('is shown by explain, with its values', async () => {
    const { pool, clock } = harness;
    await pool.query(
      `insert into config_versions (game_id, version, document, author, published_at)
       values ($1, 100, $2, 'test', $3)`,
      [gameId, document, new Date(clock.now())],
    );
    const rebuilds = createRebuildPool(harness.databaseUrl);
    const outcome = await explain(
      { pool, clock, rebuilds, semaphore: { take: (work) => work() }, attributes },
      { gameId, player: { userId: regular }, version: 100 },
    ).finally(() => rebuilds.end());
    if (outcome.outcome !== 'explained') throw new Error(outcome.outcome);
    const { trace, because, problems } = outcome.explanation;
    expect(problems).toEqual([]);
    expect(trace.segments[0]?.rule.values).toEqual({
      'loyalty.week.share': 4 / 7,
      'loyalty.week.band': 'high',
      'loyalty.paidWith': 'EUR',
    });
    expect(because.segments[0]).toMatch(
      /^In segment loyal: .* is true \(loyalty\.week\.share = 0\.57\d+, loyalty\.week\.band = "high", loyalty\.paidWith = "EUR"\)\.$/,
    );
  });

  it('is listed by the admin API', async () => {
    const app = fastify();
    app.decorateRequest('admin', undefined);
    studioRoutes(app, adminContext(harness), attributes);
    const response = await app.inject({
      url: '/admin/v1/attributes',
      headers: { authorization: `Bearer ${admin.tokens.viewer}` },
    });
    await app.close();
    expect(response.statusCode, response.body).toBe(200);
    expect(response.json().data.attributes.at(-1)).toEqual({
      name: 'loyalty',
      usage: 'loyalty.week.share',
      type: 'Loyalty',
      meaning: 'How regularly the player came, and what they paid with.',
      key: null,
      fields: [
        { name: 'week.share', type: 'double', meaning: 'active days of the last 7, as a share' },
        { name: 'week.band', type: 'string', meaning: 'high from 3 days on, else low' },
        { name: 'paidWith', type: 'string', meaning: 'currency of the last purchase' },
      ],
    });
  });
});

describe('a registry refuses', () => {
  const [week, ...others] = LOYALTY.fields;
  it.each([
    ['two attributes of one name', [LOYALTY, LOYALTY], 'there are two attributes loyalty'],
    [
      'a name that rules cannot write',
      [{ ...LOYALTY, name: 'a b' }],
      '"a b" cannot be the name of an attribute',
    ],
    [
      'a field that rules cannot write',
      [{ ...LOYALTY, fields: week === undefined ? [] : [{ ...week, name: 'week.' }] }],
      '"week." cannot be the name of a field of loyalty',
    ],
    [
      'an attribute that is neither a value nor has fields',
      [{ ...LOYALTY, fields: [] }],
      'loyalty must have fields, or be a value itself',
    ],
    [
      'one type with different fields',
      [LOYALTY, { ...LOYALTY, name: 'other', fields: others }],
      'other has other fields than another attribute of type Loyalty',
    ],
  ])('%s', (_what, definitions, message) => {
    expect(() => new AttributeRegistry(definitions)).toThrow(message);
  });
});
