import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkDocument } from '../../src/features/config/check-document.js';
import { finished, startCommand } from '../support/command.js';
import { createHarness, type Harness } from '../support/harness.js';

const sku = {
  skuId: 'gems',
  name: 'Gems',
  description: '',
  actualPrice: '5',
  offerPrice: '4.50',
  currency: 'USD',
  assets: [],
  active: true,
};
const document = (...skus: unknown[]) => ({
  flags: { isPayer: { payerForDays: 30 } },
  store: { sendFallback: false, skus },
});

describe('a document', () => {
  test('that can be rendered passes', () => {
    expect(checkDocument(document(sku))).toMatchObject({ ok: true });
  });

  test.each([
    [
      'a price with too many decimals',
      { ...sku, actualPrice: '5.001' },
      '/store/skus/0 5.001 USD is not a price',
    ],
    ['a currency that does not exist', { ...sku, currency: 'AAA' }, '/store/skus/0 5 AAA is not a price'],
    ['an offer above the price', { ...sku, offerPrice: '10.00' }, 'is higher than actualPrice'],
    ['a price that is a number', { ...sku, actualPrice: 5 }, '/store/skus/0/actualPrice'],
    ['a missing name', { ...sku, name: undefined }, '/store/skus/0'],
  ])('with %s is refused, and the place is named', (_what, bad, problem) => {
    const checked = checkDocument(JSON.parse(JSON.stringify(document(bad))));
    expect(checked.ok ? [] : checked.problems.join('\n')).toContain(problem);
  });

  test('with one SKU twice is refused', () => {
    const checked = checkDocument(document(sku, sku));
    expect(checked).toEqual({ ok: false, problems: ['/store/skus/1 skuId "gems" is there twice'] });
  });
});

describe('savepoint config', () => {
  let harness: Harness;
  let folder: string;
  beforeAll(async () => {
    harness = await createHarness();
    folder = await mkdtemp(join(tmpdir(), 'savepoint-config-'));
  });
  afterAll(async () => {
    await harness.close();
    await rm(folder, { recursive: true });
  });
  const config = (...args: string[]) =>
    finished(
      startCommand(harness.databaseUrl, 'config', ...args, '--tenant', 'demo-studio', '--game', 'demo-game'),
    );

  test('publishes what the next request serves, and shows it again', async () => {
    const file = join(folder, 'document.json');
    await writeFile(file, JSON.stringify(document(sku)));
    const session = await harness.login();
    const published = await config('publish', '--file', file, '--note', 'fewer');
    expect(published.out).toContain('Published version 2');
    const store = await harness.app.inject({ url: '/v1/player/store_configs', headers: session.headers });
    expect(store.body).toContain('"actualPrice":5.00,"offerPrice":4.50');
    expect(JSON.parse((await config('show')).out)).toEqual(document(sku));
    expect((await config('show', '--config-version', '1')).out).toContain('starter_pack');
  });

  test('says what is wrong, and publishes nothing', async () => {
    const file = join(folder, 'bad.json');
    await writeFile(file, '{"store":');
    expect((await config('publish', '--file', file)).errors).toContain('is not JSON');
    await writeFile(file, JSON.stringify(document({ ...sku, currency: 'XX' })));
    expect((await config('publish', '--file', file)).errors).toContain('cannot be published');
    expect((await config('publish', '--file', join(folder, 'none'))).errors).toContain('cannot be read');
    expect((await config('show', '--config-version', '99')).errors).toContain('There is no version 99');
  });
});
