import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_DOCUMENT } from '../../../src/decide/document/default-document.js';
import type { ValueEntry } from '../../../src/decide/document/parts/values.js';
import type { ValueType } from '../../../src/decide/document/value-types.js';
import { valueLosses } from '../../../src/liveops/configs/value-losses.js';
import { configWith, DAY_MS, value } from '../../decide/support/fixtures.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError } from '../../support/data-calls.js';
import { createHarness, type Harness } from '../../support/harness.js';

describe('what a build may miss', () => {
  const losses = (before: ValueEntry[], after: ValueEntry[]) =>
    valueLosses(configWith({ values: before }), configWith({ values: after }));
  const change = (before: ValueType, after: ValueType) =>
    losses([value('a', { type: before })], [value('a', { type: after })])[0]?.change;

  it('is a value that is taken away, or that clients are not told any more', () => {
    const secret = value('secret', { visibleTo: 'servers' });
    expect(losses([value('a'), value('b'), secret], [value('b', { visibleTo: 'servers' })])).toEqual([
      { key: 'a', change: 'removed' },
      { key: 'b', change: 'hidden' },
    ]);
    expect(losses([], [value('a')])).toEqual([]);
    expect(valueLosses(configWith(), configWith())).toEqual([]);
    expect(losses([value('a')], [value('a', { defaultValue: 2, rules: [], description: 'x' })])).toEqual([]);
  });

  it.each<[ValueType, ValueType]>([
    ['integer', 'number'],
    ['integer', { kind: 'integer', minimum: 0 }],
    [
      { kind: 'integer', minimum: 0 },
      { kind: 'integer', minimum: 1 },
    ],
    [
      { kind: 'number', maximum: 9 },
      { kind: 'number', maximum: 8.5 },
    ],
    [
      { kind: 'string', maxLength: 9 },
      { kind: 'string', maxLength: 8 },
    ],
    ['string', { kind: 'string', minLength: 1 }],
    ['string', { kind: 'string', enum: ['a'] }],
    [
      { kind: 'string', enum: ['a', 'b'] },
      { kind: 'string', enum: ['b', 'c'] },
    ],
    [
      { kind: 'json', schema: true },
      { kind: 'json', schema: { type: 'object' } },
    ],
  ])('is a value whose type goes from %j to %j', (before, after) => {
    expect(change(before, after)).toBe('narrowed');
  });

  it.each<[ValueType, ValueType]>([
    ['integer', { kind: 'integer' }],
    [
      { kind: 'integer', minimum: 1, maximum: 2 },
      { kind: 'integer', minimum: 0 },
    ],
    [
      { kind: 'string', enum: ['a'] },
      { kind: 'string', enum: ['b', 'a'] },
    ],
    [{ kind: 'string', enum: ['a'] }, 'string'],
    [
      { kind: 'json', schema: { type: 'object', title: 'x' } },
      { kind: 'json', schema: { title: 'x', type: 'object' } },
    ],
  ])('is no value whose type goes from %j to %j', (before, after) => {
    expect(change(before, after)).toBeUndefined();
  });
});

describe('a publication that takes values away', () => {
  let harness: Harness;
  let admin: AdminClient;
  beforeAll(async () => {
    harness = await createHarness();
    admin = await openAdminClient(harness);
  });
  afterAll(async () => {
    await admin.close();
    await harness.close();
  });

  const publish = async (values: ValueEntry[], rest: Record<string, unknown> = {}) => {
    const { revision } = await admin.ask<{ revision: number }>('GET', `${GAME}/draft`);
    const document = { ...DEFAULT_DOCUMENT, values };
    const saved = await admin.ask<{ revision: number }>('PUT', `${GAME}/draft`, { revision, document });
    return admin.call('POST', `${GAME}/draft/publish`, { revision: saved.revision, note: '', ...rest });
  };
  const seen = (build: string, players: number, daysAgo: number) =>
    harness.pool.query(
      `insert into game_breakdowns (game_id, dimension, day, is_remainder, value, active_players, new_players,
         paying_players, purchases, revenue, d1, d7, d28, d30)
       select id, 'build', $3::date, false, $1::text, $2::bigint, 0, 0, 0, '{}', 0, 0, 0, 0 from games`,
      [build, players, new Date(harness.clock.now() - daysAgo * DAY_MS).toISOString().slice(0, 10)],
    );

  it('is refused while players use builds that may ask for them, until that is confirmed', async () => {
    expect((await publish([value('jump'), value('mode')])).statusCode).toBe(201);
    // Nobody uses a build of this game lately.
    await seen('0.9', 7, 31);
    expect((await publish([value('jump'), value('other')])).statusCode).toBe(201);

    await seen('1.0', 20, 29);
    await seen('1.0', 12, 1);
    await seen('1.1', 30, 0);
    await seen('', 3, 0);
    const refused = await publish([value('jump', { type: 'number' })]);
    expectGeneralError(refused, 409, 'values_in_use');
    expect(refused.json().error).toMatchObject({
      values: [
        { key: 'jump', change: 'narrowed' },
        { key: 'other', change: 'removed' },
      ],
      builds: [
        { clientBuild: '1.1', players: 30 },
        { clientBuild: '1.0', players: 20 },
        { clientBuild: '', players: 3 },
      ],
    });
    const confirmed = await publish([value('jump', { type: 'number' })], { confirmLostValues: true });
    expect(confirmed.statusCode, confirmed.body).toBe(201);

    const { version } = confirmed.json().data;
    const path = `${GAME}/versions/${version - 2}/roll-back`;
    expectGeneralError(await admin.call('POST', path, { note: '' }), 409, 'values_in_use');
    const back = await admin.call('POST', path, { note: '', confirmLostValues: true });
    expect(back.statusCode, back.body).toBe(201);
  });
});
