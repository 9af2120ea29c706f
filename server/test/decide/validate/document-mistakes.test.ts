import { describe, expect, it } from 'vitest';
import { priceProblem } from '../../../src/decide/document/price-text.js';
import { validateDocument } from '../../../src/decide/validate/validate-document.js';
import { configWith, experiment, offer, problemsOf, segment, sku, value } from '../support/fixtures.js';

describe('a price that is written otherwise', () => {
  it.each([
    ['0,99', '0.99'],
    ['$4.99', '4.99'],
    ['4,99 €', '4.99'],
    ['USD 4.99', '4.99'],
    ['1,299.00', '1299.00'],
    ['1.299,00', '1299.00'],
    ["1'299.00", '1299.00'],
    ['1.299.000', '1299000'],
    ['0,990', '0.990'],
    ['04.99', '4.99'],
    ['.99', '0.99'],
    ['5.', '5'],
    [' 4.99 ', '4.99'],
  ])('%j gets %s', (text, meant) => {
    expect(priceProblem(text)).toBe(
      `"${text}" is not a price: write ${meant} (digits, and a point before the decimals).`,
    );
  });

  it.each(['1,299', 'free', '-1', '1e3', '', '1.2.3', '4.9999999'])(
    '%j may mean anything, and gets an example',
    (text) => {
      expect(priceProblem(text)).toBe(
        `"${text}" is not a price: write digits, and a point before the decimals, as in 4.99.`,
      );
    },
  );
});

describe('what to write', () => {
  it('in the windows of a schedule', () => {
    const windows = (change: object) =>
      problemsOf(
        configWith({
          catalogue: [sku('gems')],
          offers: [
            offer('evening', {
              skus: ['gems'],
              schedule: {
                ...{ days: { every: 'day' }, from: '18:00', to: '22:00', zone: 'player' },
                ...{ firstDate: null, lastDate: null, except: [] },
                ...change,
              },
            }),
          ],
        }),
      );
    expect(windows({})).toEqual([]);
    for (const from of ['6pm', '25:00', '24:00']) {
      expect(windows({ from })).toEqual([
        '/offers/0/schedule/from The value must be a time of day such as 18:30.',
      ]);
    }
    expect(windows({ except: ['2026-12-24T00:00:00Z'] })).toEqual([
      '/offers/0/schedule/except/0 The value must be a day such as 2026-11-15.',
    ]);
  });

  const priced = (actualPrice: unknown) =>
    configWith({
      catalogue: [sku('gems', { prices: { USD: { actualPrice: actualPrice as string, offerPrice: '1' } } })],
    });
  const effect = (value: unknown) =>
    configWith({ catalogue: [sku('gems')], offers: [offer('sale', { effect: value as never })] });

  it.each<[string, unknown, string]>([
    ['a price', priced('0,99'), '/catalogue/0/prices/USD/actualPrice "0,99" is not a price: write 0.99'],
    [
      'a number for a price',
      priced(4.99),
      '/catalogue/0/prices/USD/actualPrice Amounts are texts, so that they stay exact: write "4.99".',
    ],
    [
      'a currency',
      configWith({ catalogue: [sku('gems', { prices: { usd: { actualPrice: '1', offerPrice: '1' } } })] }),
      '/catalogue/0/prices/usd "usd" is not a currency of ISO 4217, such as USD. Did you mean "USD"?',
    ],
    [
      'a percentage',
      effect({ price: { discountPercent: '50%' } }),
      '/offers/0/effect/price/discountPercent "50%" is not a percentage: write 50 (0 to 100',
    ],
    ['a word', effect({ visibility: 'Show' }), '/offers/0/effect/visibility Write "show" or "hide".'],
    [
      'a misspelt member',
      effect({ promoid: 'x' }),
      '/offers/0/effect/promoid There is no member "promoid". Did you mean "promoId"?',
    ],
    [
      'a member that is none',
      effect({ colour: 'red' }),
      '/offers/0/effect/colour There is no member "colour". There are visibility, price, badges, promoId.',
    ],
    [
      'the id of a flag',
      configWith({
        flags: {
          isPayer: { payerForDays: null },
          custom: [{ flagId: 'Big spender', name: 'x', rule: null, defaultValue: true }],
        },
      }),
      '/flags/custom/0/flagId "Big spender" cannot be the id of a flag: begin with a lower-case letter',
    ],
    [
      'the id of an offer',
      configWith({ offers: [offer('50% off')] }),
      '/offers/0/offerId "50% off" cannot be the id of an offer: begin with a letter or a digit',
    ],
    [
      'the id of a segment',
      configWith({ segments: [segment('__proto__', 'true')] }),
      '/segments/0/segmentId "__proto__" cannot be the id of a segment: begin with a letter',
    ],
    [
      'the id of an experiment',
      configWith({ experiments: [experiment('__proto__')] }),
      '/experiments/0/experimentId "__proto__" cannot be the id of an experiment: begin with a letter',
    ],
    [
      'the id of a layer',
      configWith({
        experiments: [experiment('x', { layer: { layerId: '__proto__', fromPercent: 0, toPercent: 50 } })],
      }),
      '/experiments/0/layer/layerId "__proto__" cannot be the id of a layer: begin with a letter',
    ],
    [
      'the id of a variant',
      configWith({ experiments: [experiment('x', { state: 'decided', winner: '__proto__' })] }),
      '/experiments/0/winner "__proto__" cannot be the id of a variant: begin with a letter or a digit',
    ],
    [
      'the key of a value',
      configWith({ values: [value('__proto__')] }),
      '/values/0/key "__proto__" cannot be the key of a value: begin with a letter',
    ],
    [
      'the id of a SKU',
      configWith({ catalogue: [sku('')] }),
      '/catalogue/0/skuId An id cannot be empty, and holds no control characters.',
    ],
  ])('%s', (_what, document, problem) => {
    expect(problemsOf(document)[0]).toContain(problem);
  });
});

describe('the address of an asset', () => {
  const withAsset = (url: string) =>
    configWith({ catalogue: [{ ...sku('gems'), assets: [{ assetId: 'icon', type: 'image/png', url }] }] });

  it.each([
    'https://cdn.example.com/icon.png?v=2#x',
    'https://cdn.example.com',
    'http://localhost/icon.png',
    'http://localhost:5173/icon.png',
    'http://127.0.0.1:8000',
    'http://[::1]:8000/icon.png',
  ])('may be %s', (url) => {
    expect(problemsOf(withAsset(url))).toEqual([]);
  });

  it.each([
    '',
    'https://',
    'icon.png',
    '//cdn.example.com/icon.png',
    'http://cdn.example.com/icon.png',
    'http://localhost.example.com/icon.png',
    'http://localhost@example.com/icon.png',
    'javascript:alert(1)',
    'data:image/png;base64,AAAA',
    'file:///etc/passwd',
    'ftp://cdn.example.com/icon.png',
    'https://cdn.example.com/a b.png',
    'javascript:alert(1)\nhttps://cdn.example.com/',
  ])('cannot be %j', (url) => {
    expect(problemsOf(withAsset(url))).toEqual([
      expect.stringMatching(
        /^\/catalogue\/0\/assets\/0\/url .* cannot be the address of an asset: write it as in https:/s,
      ),
    ]);
  });
});

it('says which flag, segment, SKU or offer it is about', () => {
  const flag = { flagId: 'beta', name: 'Beta', rule: '1 +', defaultValue: false };
  const validation = validateDocument(
    configWith({
      flags: { isPayer: { payerForDays: 0 }, custom: [flag] },
      segments: [segment('all', 'true'), segment('big', 'contry == ""')],
      catalogue: [sku('gems', { active: 1 as never }), { ...sku('x'), skuId: 5 as never }],
      offers: [offer('a'), offer('weekend', { skus: ['gold'] })],
    }),
  );
  const problems = validation.ok ? [] : validation.problems;
  expect(problems.map(({ pointer, subject }) => [pointer, subject])).toEqual([
    ['/catalogue/0/active', 'SKU "gems"'],
    ['/catalogue/1/skuId', null],
    ['/flags/isPayer/payerForDays', null],
    ['/flags/custom/0/rule', 'flag "beta"'],
    ['/segments/1/rule', 'segment "big"'],
    ['/offers/1/skus/0', 'offer "weekend"'],
  ]);
});
