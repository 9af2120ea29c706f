import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyEvents } from '../../../../src/core/events/apply/apply-events.js';
import type { EventRecord } from '../../../../src/core/events/intake/event-record.js';
import {
  expectCounts,
  expectGeneralError,
  gameDocument,
  get,
  playerAggregates,
  publish,
} from '../../../support/data-calls.js';
import { recordsOf } from '../../../support/event-records.js';
import { createHarness, type Harness, postEvents, type Session } from '../../../support/harness.js';
import { addStudio } from '../../../support/session-calls.js';

const DAY_MS = 86_400_000;

describe('Purchase and Refund', () => {
  let harness: Harness;
  let second: FastifyInstance;
  let devices = 0;
  let sent = 0;
  beforeAll(async () => {
    harness = await createHarness();
    second = (await harness.addNode()).app;
  });
  afterAll(() => harness.close());

  const newPlayer = () => harness.login(`buyer-${++devices}`);
  /** Each differs from all others by its time, also when the payload is the same. */
  const event = (eventType: string, payload: Record<string, unknown>) => ({
    eventType,
    timestamp: new Date(harness.clock.now() - 3_600_000 + ++sent).toISOString(),
    payload,
  });
  const purchase = (transactionId: string | undefined, price: unknown = '4.99', currency: unknown = 'USD') =>
    event('Purchase', { transactionId, skuId: 'gems', price, currency });
  const refund = (transactionId: string) => event('Refund', { transactionId });

  const isPayer = async (session: Session, app = second) =>
    (await get(app, '/v1/player/status', session)).json().isPayer.value;
  const totals = async ({ userId }: Session) => {
    const { purchase_count, spend } = await playerAggregates(harness.pool, userId);
    return { count: purchase_count, spend };
  };
  const send = async (session: Session, events: unknown[], app = harness.app) =>
    expectCounts(await postEvents(app, session, events), { accepted: events.length, duplicates: 0 });

  it('a purchase makes a payer at once, on every node', async () => {
    const session = await newPlayer();
    expect(await isPayer(session)).toBe(false);
    await send(session, [purchase('at-once')]);
    expect(await isPayer(session, second)).toBe(true);
    expect(await isPayer(session, harness.app)).toBe(true);
  });

  it('counts every one of many purchases that arrive at once, at two nodes', async () => {
    const session = await newPlayer();
    const sends = Array.from({ length: 40 }, (_, n) =>
      send(session, [purchase(`crowd-${n}`, '0.10')], n % 2 === 0 ? harness.app : second),
    );
    await Promise.all(sends);
    expect(await totals(session)).toEqual({ count: 40, spend: '{"USD": 4}' });
  });

  it('counts once per transactionId, whatever else differs', async () => {
    const session = await newPlayer();
    await send(session, [purchase('once', '4.99')]);
    harness.clock.advance(1);
    await send(session, [purchase('once', '4.99'), purchase('once', '99.00'), purchase('once', 1, 'EUR')]);
    await send(session, [{ ...purchase('once'), eventId: 'a name' }], second);
    expect(await totals(session)).toEqual({ count: 1, spend: '{"USD": 4.99}' });
  });

  it('counts the purchase received first, whatever time the events claim', async () => {
    const session = await newPlayer();
    const at = (msAgo: number) => new Date(harness.clock.now() - msAgo).toISOString();
    await send(session, [{ ...purchase('rewritten', '9.99'), timestamp: at(1_000) }]);
    harness.clock.advance(1);
    await send(session, [{ ...purchase('rewritten', '100'), timestamp: at(60_000) }]);
    expect(await totals(session)).toEqual({ count: 1, spend: '{"USD": 9.99}' });
  });

  it('counts the purchase received first, in whichever order the two are applied', async () => {
    const session = await newPlayer();
    const recordOf = async (price: string) => {
      harness.clock.advance(1);
      return (await recordsOf(harness, session, [purchase('crossed', price)]))[0] as EventRecord;
    };
    const [first, next] = [await recordOf('1'), await recordOf('2')];
    expect(await applyEvents(harness.pool, [next])).toEqual(['new']);
    expect(await totals(session)).toEqual({ count: 1, spend: '{"USD": 2}' });
    expect(await applyEvents(harness.pool, [first])).toEqual(['new']);
    expect(await totals(session)).toEqual({ count: 1, spend: '{"USD": 1}' });
  });

  it('a second player who names the same transaction takes nothing from the first', async () => {
    const [squatter, buyer] = [await newPlayer(), await newPlayer()];
    await send(squatter, [purchase('GPA.1', '0.01')]);
    await send(buyer, [purchase('GPA.1', '9.99')]);
    await send(squatter, [refund('GPA.1')]);
    expect(await totals(buyer)).toEqual({ count: 1, spend: '{"USD": 9.99}' });
    expect(await totals(squatter)).toEqual({ count: 0, spend: '{}' });
    expect(await isPayer(buyer)).toBe(true);
  });

  it('moves first, last, days and repeat spend back when purchases are refunded', async () => {
    const session = await newPlayer();
    const on = (day: number, id: string, price: string) => ({
      ...purchase(id, price),
      timestamp: new Date(harness.clock.now() - day * DAY_MS).toISOString(),
    });
    const known = async () => {
      const row = await playerAggregates(harness.pool, session.userId);
      const { purchase_count, first_purchase_at, last_purchase_at, purchase_days, spend, repeat_spend } = row;
      return { purchase_count, first_purchase_at, last_purchase_at, purchase_days, spend, repeat_spend };
    };
    const only = on(5, 'mid', '2');
    await send(session, [only]);
    const before = await known();
    await send(session, [on(9, 'early', '1'), on(1, 'late', '4'), on(5, 'same-day', '8')]);
    expect(await known()).toMatchObject({
      purchase_count: 4,
      spend: '{"USD": 15}',
      repeat_spend: '{"USD": 14}',
    });
    await send(session, [refund('early'), refund('late'), refund('same-day')]);
    expect(await known()).toEqual(before);
  });

  it('a refund takes a purchase back, and is one itself only once', async () => {
    const session = await newPlayer();
    await send(session, [purchase('kept', '1.00'), purchase('returned', '2.00')]);
    await send(session, [refund('returned')]);
    await send(session, [refund('returned'), purchase('returned', '2.00')]);
    expect(await totals(session)).toEqual({ count: 1, spend: '{"USD": 1}' });
    expect(await isPayer(session)).toBe(true);
    await send(session, [refund('kept')]);
    expect(await totals(session)).toEqual({ count: 0, spend: '{}' });
    expect(await isPayer(session)).toBe(false);
  });

  it('a refund may arrive first, or in the same batch', async () => {
    const session = await newPlayer();
    await send(session, [refund('before')]);
    expect(await totals(session)).toEqual({ count: 0, spend: '{}' });
    await send(session, [purchase('before')], second);
    await send(session, [refund('same'), purchase('same')]);
    await send(session, [purchase('same-2'), refund('same-2')]);
    expect(await totals(session)).toEqual({ count: 0, spend: '{}' });
    expect(await isPayer(session)).toBe(false);
  });

  it('adds up exactly, per currency, numbers and texts alike', async () => {
    const session = await newPlayer();
    const prices: [unknown, string][] = [
      [0.1, 'USD'],
      [0.2, 'USD'],
      ['0.30', 'USD'],
      [4.99, 'EUR'],
      ['4.99', 'EUR'],
      [500, 'JPY'],
      ['.125', 'KWD'],
      ['999999999999.999999', 'XAF'],
      [0, 'GBP'],
    ];
    await send(
      session,
      prices.map(([price, currency], n) => purchase(`sum-${n}`, price, currency)),
    );
    const { count, spend } = await totals(session);
    expect(count).toBe(9);
    expect(spend).toBe('{"EUR": 9.98, "JPY": 500, "KWD": 0.125, "USD": 0.6, "XAF": 999999999999.999999}');
  });

  it.each([
    -1,
    '-1',
    '1e3',
    1e21,
    '',
    ' 1',
    '1,00',
    'NaN',
    'free',
    null,
    true,
    {},
    [1],
    '01',
    1e-9,
    '1234567890123',
  ])('the price %j is refused', async (price) => {
    const response = await postEvents(harness.app, await newPlayer(), [purchase('bad-price', price)]);
    expectGeneralError(response, 400, 'events_rejected');
    expect(response.json().error.rejected).toMatchObject([{ code: 'payload_invalid' }]);
  });

  it.each([undefined, null, '', 'usd', 'AAA', 'US', 'USDX', '$', 840, {}])(
    'the currency %j is refused',
    async (currency) => {
      const bad = event('Purchase', { transactionId: 'bad-currency', price: 1, currency });
      const response = await postEvents(harness.app, await newPlayer(), [bad]);
      expectGeneralError(response, 400, 'events_rejected');
      expect(response.json().error.rejected).toMatchObject([{ code: 'payload_invalid' }]);
    },
  );

  it.each([1, null, {}, '', 'x'.repeat(257)])('the transactionId %j is refused', async (transactionId) => {
    for (const eventType of ['Purchase', 'Refund']) {
      const response = await postEvents(harness.app, await newPlayer(), [
        event(eventType, { transactionId }),
      ]);
      expectGeneralError(response, 400, 'events_rejected');
    }
  });

  it('a purchase needs neither price nor transactionId; without one each event is a purchase', async () => {
    const session = await newPlayer();
    const bare = event('Purchase', {});
    await send(session, [bare, purchase(undefined, '1.00'), purchase(undefined, '1.00')]);
    expectCounts(await postEvents(second, session, [bare]), { accepted: 0, duplicates: 1 });
    expect(await totals(session)).toEqual({ count: 3, spend: '{"USD": 2}' });
  });

  it('the flag ends to the millisecond when the game gives it a term', async () => {
    const session = await newPlayer();
    const start = harness.clock.now();
    const { timestamp, ...rest } = purchase('term');
    await send(session, [{ timestamp, ...rest }]);
    await publish(harness.pool, gameDocument([], { payerForDays: 2 }), start);
    const end = Date.parse(timestamp) + 2 * DAY_MS;
    try {
      for (const [now, value] of [
        [end - 1, true],
        [end, false],
      ] as const) {
        harness.clock.set(now);
        const later = await harness.login(session.deviceId);
        const { isPayer: flag } = (await get(second, '/v1/player/status', later)).json();
        expect(flag).toEqual({ value, defaultValue: false, expiredAt: new Date(end).toISOString() });
      }
    } finally {
      harness.clock.set(start);
      await publish(harness.pool, gameDocument([]), start);
    }
  });

  it('two games may use the same transactionId', async () => {
    const studio = await addStudio(harness, 'other-till', 'other-game');
    const [ours, theirs] = [await newPlayer(), await studio.login('device')];
    await send(ours, [purchase('shared-id')]);
    await send(theirs, [purchase('shared-id')]);
    for (const session of [ours, theirs]) expect((await totals(session)).count).toBe(1);
  });
});
