import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminClient, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError } from '../../support/data-calls.js';
import { createHarness, type Harness } from '../../support/harness.js';
import { addStudio } from '../../support/session-calls.js';

type Rate = { currency: string; from: string; rate: string };
type Rates = { version: number; currency: string | null; rates: Rate[]; author: string | null };

let harness: Harness;
let admin: AdminClient;
let viewer: string;
let editor: string;
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
  await addStudio(harness, 'acme', 'rocket');
  viewer = await admin.addToken('viewer', { tenant: 'acme' });
  editor = await admin.addToken('editor', { tenant: 'acme', name: 'Ana' });
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

const read = (query = '') => admin.ask<Rates>('GET', `/rates${query}`, undefined, viewer);
const save = (body: object) => admin.call('PUT', '/rates', body, editor);
const importFile = (text: string, query: string) => admin.call('PUT', `/rates/file?${query}`, text, editor);
const EUR = { currency: 'EUR', from: '2026-10-01', rate: '1.07' };
const JPY = { currency: 'JPY', from: '2026-10-01', rate: '0.0066' };

describe('the rates of a studio', () => {
  it('are none until somebody sets them', async () => {
    const none = { version: 0, currency: null, rates: [], author: null, authorEmail: null, createdAt: null };
    expect(await read()).toEqual(none);
    expect(await read('?version=0')).toEqual(none);
  });

  it('are versions, with who made them and when', async () => {
    const rates = [JPY, { ...EUR, rate: '1.0700' }];
    expect((await save({ basedOn: 0, currency: 'USD', rates })).statusCode).toBe(200);
    const second = { ...EUR, from: '2026-11-01', rate: '1.09' };
    expect(
      (await save({ basedOn: 1, currency: 'USD', rates: [...rates, second] })).json().data,
    ).toMatchObject({ version: 2, rates: [EUR, second, JPY] });
    const createdAt = new Date(harness.clock.now()).toISOString();
    const made = { currency: 'USD', author: 'Ana', authorEmail: null, createdAt };
    expect(await read()).toEqual({ ...made, version: 2, rates: [EUR, second, JPY] });
    expect(await read('?version=1')).toEqual({ ...made, version: 1, rates: [EUR, JPY] });
    const first = await admin.ask<{ nextCursor: string }>(
      'GET',
      '/rates/versions?limit=1',
      undefined,
      viewer,
    );
    expect(first).toMatchObject({ versions: [{ ...made, version: 2, rateCount: 3 }] });
    const path = `/rates/versions?limit=1&cursor=${first.nextCursor}`;
    expect(await admin.ask('GET', path, undefined, viewer)).toEqual({
      versions: [{ ...made, version: 1, rateCount: 2 }],
      nextCursor: null,
    });
    expectGeneralError(
      await admin.call('GET', '/rates?version=9', undefined, viewer),
      404,
      'rate_version_not_found',
    );
  });

  it('make no version of what is the same', async () => {
    const { rates } = await read();
    expect((await save({ basedOn: 2, currency: 'USD', rates })).json().data).toMatchObject({ version: 2 });
  });

  it('are not overwritten by somebody who has not seen them', async () => {
    const response = await save({ basedOn: 1, currency: 'USD', rates: [] });
    expectGeneralError(response, 409, 'rates_conflict');
    expect(response.json().error).toMatchObject({ version: 2, author: 'Ana' });
    expectGeneralError(await importFile('currency,from,rate\n', 'basedOn=1'), 409, 'rates_conflict');
  });

  it('are a file that can be sent back', async () => {
    const file = await admin.call('GET', '/rates/file', undefined, viewer);
    expect(file.headers['content-disposition']).toBe('attachment; filename="acme-rates.csv"');
    expect(file.body).toBe(
      'currency,from,rate\r\nEUR,2026-10-01,1.07\r\nEUR,2026-11-01,1.09\r\nJPY,2026-10-01,0.0066\r\n',
    );
    const same = await importFile(file.body, 'basedOn=2&mode=replace');
    expect(same.json().data).toMatchObject({ version: 2 });
    const merged = await importFile(
      'rate,currency,from\n1.2,eur,2026-11-01\n0.9,CHF,2026-11-01\n',
      'basedOn=2',
    );
    expect(merged.json().data.rates).toEqual([
      { currency: 'CHF', from: '2026-11-01', rate: '0.9' },
      EUR,
      { currency: 'EUR', from: '2026-11-01', rate: '1.2' },
      JPY,
    ]);
  });

  it('are taken as a whole or not at all, with every mistake', async () => {
    const response = await save({
      basedOn: 3,
      currency: 'USD',
      rates: [
        { ...EUR, from: '2026-02-30' },
        { ...JPY, rate: '0.00' },
        { currency: 'USD', from: '2026-01-01', rate: '1' },
        { currency: 'XXX', from: '2026-01-01', rate: '1e3' },
        JPY,
      ],
    });
    expectGeneralError(response, 422, 'rates_invalid');
    expect(response.json().error.rows).toEqual([
      { row: 1, column: 'from', message: expect.stringContaining('2026-11-15') },
      { row: 2, column: 'rate', message: expect.stringContaining('above 0') },
      { row: 3, column: 'currency', message: expect.stringContaining('always 1') },
      { row: 4, column: 'currency', message: expect.stringContaining('EUR') },
      { row: 4, column: 'rate', message: expect.stringContaining('above 0') },
      { row: 5, column: null, message: 'Row 2 has a rate of this currency and day already.' },
    ]);
    expectGeneralError(await importFile('currency;from;rate\n', 'basedOn=3'), 422, 'rates_invalid');
    expectGeneralError(await importFile('currency,rate\nEUR,1\n', 'basedOn=3'), 422, 'rates_invalid');
    expectGeneralError(await save({ basedOn: 3, currency: 'XXX', rates: [] }), 400, 'body_invalid');
    expectGeneralError(await save({ basedOn: 3, currency: null, rates: [EUR] }), 422, 'rates_invalid');
    expect((await read()).version).toBe(3);
  });

  it('begin anew with another reporting currency', async () => {
    expect((await save({ basedOn: 3, currency: 'EUR', rates: [JPY] })).json().data).toMatchObject({
      version: 4,
      currency: 'EUR',
      rates: [JPY],
    });
    expect((await save({ basedOn: 4, currency: null, rates: [] })).json().data).toMatchObject({
      version: 5,
      currency: null,
      rates: [],
    });
  });

  it('are changed by editors, and are of one studio', async () => {
    const body = { basedOn: 5, currency: 'USD', rates: [] };
    expectGeneralError(await admin.call('PUT', '/rates', body, viewer), 403, 'role_too_low');
    expect(await admin.ask('GET', '/rates')).toMatchObject({ version: 1, currency: 'USD' });
  });
});
