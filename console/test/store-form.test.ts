import { expect, it } from 'vitest';
import { fromForm, type StoreSettings, toForm } from '../src/lib/store-form.js';

const SETTINGS: StoreSettings = {
  apple: { bundleIds: ['com.example.game', 'com.example.game.ipad'] },
  google: { packageName: 'com.example.game', publicKey: 'AAAA', push: { audience: 'a', account: 'b@c' } },
  counts: 'verified',
  maxPrices: { USD: '199.99', JPY: '20000' },
  testers: ['0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a'],
};
const NONE: StoreSettings = { apple: null, google: null, counts: 'everything', maxPrices: {}, testers: [] };

it('shows settings in fields, and reads the same settings from them', () => {
  expect(fromForm(toForm(SETTINGS))).toEqual(SETTINGS);
  expect(fromForm(toForm(NONE))).toEqual(NONE);
});

it('takes what people type', () => {
  const typed = { ...toForm(SETTINGS), bundleIds: ' a.b \n\n', maxPrices: 'usd = 5', publicKey: 'AA\nAA ' };
  expect(fromForm({ ...typed, pushAudience: '', pushAccount: '' })).toMatchObject({
    apple: { bundleIds: ['a.b'] },
    google: { publicKey: 'AAAA', push: null },
    maxPrices: { USD: '5' },
  });
});
