import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readGoogleKey, readGooglePurchase } from '../../../../src/platform/lib/receipts/google-receipts.js';
import { createGoogleSigner } from '../../../../src/trust/fake-store/store-signers.js';

const google = createGoogleSigner();
const publicKey = readGoogleKey(google.publicKey);
if (publicKey === undefined) throw new Error('the key of the signer cannot be read');
const app = { packageName: 'com.example.game', publicKey };

const PURCHASE = {
  orderId: 'GPA.3300-1111-2222-33333',
  packageName: 'com.example.game',
  productId: 'gems-100',
  purchaseTime: 1_790_000_000_000,
  purchaseState: 0,
  purchaseToken: 'token-1',
  quantity: 3,
  obfuscatedAccountId: 'account-1',
};

function readSigned(change: object) {
  const data = JSON.stringify({ ...PURCHASE, ...change });
  return readGooglePurchase(data, google.sign(data), app);
}

describe('a purchase of Google Play', () => {
  it('proves product, order, quantity and time, and states no price', async () => {
    expect(await readSigned({})).toEqual({
      store: 'google',
      transactionId: 'GPA.3300-1111-2222-33333',
      productId: 'gems-100',
      quantity: 3,
      purchasedAtMs: 1_790_000_000_000,
      price: null,
      currency: null,
      isSandbox: false,
      isShared: false,
      accountId: 'account-1',
      purchaseToken: 'token-1',
      revocation: null,
    });
  });

  it('is known by its token where it has no order', async () => {
    expect(await readSigned({ orderId: undefined })).toMatchObject({ transactionId: 'token-1' });
  });

  it.each<[object, string]>([
    [{ purchaseState: 4 }, 'receipt_pending'],
    [{ purchaseState: 2 }, 'receipt_pending'],
    [{ purchaseState: 1 }, 'receipt_invalid'],
    [{ packageName: 'com.example.other' }, 'receipt_of_another_app'],
    [{ productId: undefined }, 'receipt_invalid'],
    [{ purchaseTime: '1790000000000' }, 'receipt_invalid'],
    [{ quantity: 0 }, 'receipt_invalid'],
  ])('with %j is %s', async (change, code) => {
    expect(await readSigned(change)).toMatchObject({ code });
  });

  it('is invalid with a wrong signature', async () => {
    const data = JSON.stringify(PURCHASE);
    const signatures = [
      google.sign(`${data} `),
      createGoogleSigner().sign(data),
      'AAAA',
      '',
      'not Base64!',
      'A'.repeat(10 << 20),
    ];
    for (const signature of signatures)
      expect(await readGooglePurchase(data, signature, app)).toMatchObject({ code: 'receipt_invalid' });
    expect(await readGooglePurchase('A'.repeat(10 << 20), google.sign(data), app)).toMatchObject({
      code: 'receipt_invalid',
    });
    expect(await readGooglePurchase('[]', google.sign('[]'), app)).toMatchObject({ code: 'receipt_invalid' });
  });
});

describe('the key of an app', () => {
  it('is RSA with at least 2,048 bits, in Base64', () => {
    expect(readGoogleKey(google.publicKey.replace(/.{64}/g, '$&\n'))).toBeDefined();
    const small = generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey;
    const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;
    for (const key of [small, curve])
      expect(readGoogleKey(key.export({ format: 'der', type: 'spki' }).toString('base64'))).toBeUndefined();
    expect(readGoogleKey('')).toBeUndefined();
    expect(readGoogleKey('AAAA')).toBeUndefined();
  });
});
