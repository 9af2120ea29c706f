import { sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createAppleReceipts } from '../../../../src/platform/lib/receipts/apple-receipts.js';
import { readCertificateFile } from '../../../../src/platform/lib/receipts/certificates.js';
import { INTERMEDIATE_EXTENSION, LEAF_EXTENSION } from '../../../../src/platform/lib/receipts/signed-json.js';
import {
  type CertificateRequest,
  makeCertificate,
} from '../../../../src/trust/fake-store/make-certificate.js';
import { createAppleSigner, signJws } from '../../../../src/trust/fake-store/store-signers.js';

const SIGNED_AT = Date.parse('2026-11-18T12:00:00Z');
const DAY = 86_400_000;
const apple = createAppleSigner(SIGNED_AT);
const [leaf, intermediate, root] = apple.chain;
const roots = readCertificateFile(Buffer.from(apple.rootPem));
const receipts = createAppleReceipts({ roots, isDevelopment: false });

const TRANSACTION = {
  transactionId: '2000000123456789',
  bundleId: 'com.example.game',
  productId: 'gems-100',
  purchaseDate: SIGNED_AT - 1_000,
  quantity: 2,
  price: 10_990,
  currency: 'USD',
  environment: 'Production',
  inAppOwnershipType: 'PURCHASED',
  appAccountToken: '0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a',
  signedDate: SIGNED_AT,
};

const read = (jws: string) => receipts.readTransaction(jws, ['com.example.game']);
const readSigned = (change: object) => read(apple.sign({ ...TRANSACTION, ...change }));

function certificate(
  change: Partial<CertificateRequest> & Pick<CertificateRequest, 'issuer' | 'isAuthority'>,
) {
  return makeCertificate({
    name: 'another',
    validFromMs: SIGNED_AT - DAY,
    validToMs: SIGNED_AT + DAY,
    ...change,
  });
}

const leafOf = (change: Partial<CertificateRequest>) =>
  certificate({ issuer: intermediate, isAuthority: false, extensions: [LEAF_EXTENSION], ...change });

describe('a signed transaction of Apple', () => {
  it('proves product, transaction, quantity, currency and price', async () => {
    expect(await readSigned({})).toEqual({
      store: 'apple',
      transactionId: '2000000123456789',
      productId: 'gems-100',
      quantity: 2,
      purchasedAtMs: SIGNED_AT - 1_000,
      price: '10.99',
      currency: 'USD',
      isSandbox: false,
      isShared: false,
      accountId: '0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a',
      revocation: null,
    });
  });

  it.each([
    [10_990, '10.99'],
    [5, '0.005'],
    [0, '0'],
    [120_000, '120'],
    [1_001, '1.001'],
  ])('reads a price of %i thousandths as %s', async (price, text) => {
    expect(await readSigned({ price })).toMatchObject({ price: text });
  });

  it.each([-1, 1.5, '10990', Number.NaN, null])('states no price where it says %s', async (price) => {
    expect(await readSigned({ price })).toMatchObject({ price: null, currency: null });
  });

  it('tells sandbox and family sharing', async () => {
    expect(await readSigned({ environment: 'Sandbox' })).toMatchObject({ isSandbox: true });
    expect(await readSigned({ inAppOwnershipType: 'FAMILY_SHARED' })).toMatchObject({ isShared: true });
  });

  it('tells how much of it was taken back', async () => {
    const revoked = { revocationDate: SIGNED_AT - 5 };
    expect(await readSigned(revoked)).toMatchObject({
      revocation: { atMs: SIGNED_AT - 5, share: '1', signedAtMs: SIGNED_AT },
    });
    const part = { ...revoked, revocationType: 'REFUND_PRORATED', revocationPercentage: 40_000 };
    expect(await readSigned(part)).toMatchObject({ revocation: { share: '0.4' } });
  });

  it('is of another app where its bundle id is not one of the game', async () => {
    expect(await readSigned({ bundleId: 'com.example.other' })).toMatchObject({
      code: 'receipt_of_another_app',
    });
    expect(await readSigned({ bundleId: undefined })).toMatchObject({ code: 'receipt_of_another_app' });
  });

  it.each(['Xcode', 'LocalTesting', undefined, 'production'])(
    'does not count in the environment %s outside of development',
    async (environment) => {
      expect(await readSigned({ environment })).toMatchObject({ code: 'receipt_invalid' });
    },
  );

  it('needs a signature in the environment Xcode, also in development', async () => {
    const inDevelopment = createAppleReceipts({ roots, isDevelopment: true });
    const xcode = apple.sign({ ...TRANSACTION, environment: 'Xcode' });
    expect(await inDevelopment.readTransaction(xcode, ['com.example.game'])).toMatchObject({
      isSandbox: true,
    });
    const unsigned = `${xcode.split('.').slice(0, 2).join('.')}.${Buffer.alloc(64).toString('base64url')}`;
    expect(await inDevelopment.readTransaction(unsigned, ['com.example.game'])).toMatchObject({
      code: 'receipt_invalid',
    });
  });
});

const withoutSignature = (jws: string) => jws.split('.').slice(0, 2).join('.');

function derSigned(): string {
  const signed = withoutSignature(apple.sign(TRANSACTION));
  return `${signed}.${sign('sha256', Buffer.from(signed), leaf.privateKey).toString('base64url')}`;
}

function changed(): string {
  const [header, , signature] = apple.sign(TRANSACTION).split('.');
  const payload = Buffer.from(JSON.stringify({ ...TRANSACTION, price: 1 })).toString('base64url');
  return `${header}.${payload}.${signature}`;
}

const stranger = createAppleSigner(SIGNED_AT);

describe('a forged transaction', () => {
  it.each<[string, () => string]>([
    ['signed by another root', () => stranger.sign(TRANSACTION)],
    [
      'signed by another key under the right certificates',
      () => {
        const [strangeLeaf] = stranger.chain;
        return signJws(TRANSACTION, [strangeLeaf, intermediate, root]);
      },
    ],
    [
      'signed anew with a leaf of its own under the right root',
      () =>
        signJws(TRANSACTION, [leafOf({ issuer: stranger.chain[1], name: leaf.name }), intermediate, root]),
    ],
    ['changed after it was signed', changed],
    ['without an algorithm', () => signJws(TRANSACTION, apple.chain, { alg: 'none' })],
    [
      'without an algorithm and a signature',
      () => `${withoutSignature(signJws(TRANSACTION, apple.chain, { alg: 'none' }))}.`,
    ],
    ['with a symmetric algorithm', () => signJws(TRANSACTION, apple.chain, { alg: 'HS256' })],
    ['with a signature in DER', derSigned],
    ['with one certificate', () => signJws(TRANSACTION, [leaf])],
    ['with two certificates', () => signJws(TRANSACTION, [leaf, intermediate])],
    ['with four certificates', () => signJws(TRANSACTION, [...apple.chain, root])],
    ['with certificates in another order', () => signJws(TRANSACTION, [intermediate, leaf, root])],
    [
      'with a critical extension of the header',
      () => signJws(TRANSACTION, apple.chain, { crit: ['b64'], b64: false }),
    ],
    [
      'with certificates that are none',
      () => signJws(TRANSACTION, apple.chain, { x5c: ['AAAA', 'AAAA', root.raw.toString('base64')] }),
    ],
    [
      'with a leaf without the extension',
      () => signJws(TRANSACTION, [leafOf({ extensions: [] }), intermediate, root]),
    ],
    [
      'with a leaf that has the extension of an intermediate',
      () => signJws(TRANSACTION, [leafOf({ extensions: [INTERMEDIATE_EXTENSION] }), intermediate, root]),
    ],
    [
      'with a leaf that has expired before the signing',
      () => signJws(TRANSACTION, [leafOf({ validToMs: SIGNED_AT - 1_000 }), intermediate, root]),
    ],
    [
      'with a leaf that is not valid yet at the signing',
      () => signJws(TRANSACTION, [leafOf({ validFromMs: SIGNED_AT + 1_000 }), intermediate, root]),
    ],
    [
      'with a leaf as intermediate',
      () => {
        const plain = certificate({ issuer: root, isAuthority: false, extensions: [INTERMEDIATE_EXTENSION] });
        return signJws(TRANSACTION, [leafOf({ issuer: plain }), plain, root]);
      },
    ],
    [
      'with an intermediate without the extension',
      () => {
        const plain = certificate({ issuer: root, isAuthority: true });
        return signJws(TRANSACTION, [leafOf({ issuer: plain }), plain, root]);
      },
    ],
    ['without a date of signing', () => apple.sign({ ...TRANSACTION, signedDate: undefined })],
    ['without a transaction id', () => apple.sign({ ...TRANSACTION, transactionId: '' })],
    ['with a header of 10 MB', () => `${'A'.repeat(10 << 20)}.${'A'.repeat(8)}.${'A'.repeat(86)}`],
    ['of one part', () => 'receipt'],
    ['of no JSON', () => 'AAAA.AAAA.AAAA'],
    ['that is empty', () => ''],
  ])('%s is invalid', async (_, make) => {
    expect(await read(make())).toMatchObject({ code: 'receipt_invalid' });
  });

  it('is invalid although the chain of an honest one is remembered', async () => {
    expect(await readSigned({})).toMatchObject({ store: 'apple' });
    expect(await read(changed())).toMatchObject({ code: 'receipt_invalid' });
    const before = { ...TRANSACTION, signedDate: SIGNED_AT - 20 * 365 * DAY };
    expect(await read(apple.sign(before))).toMatchObject({ code: 'receipt_invalid' });
  });
});

describe('a notification of Apple', () => {
  const notification = (change: object, data: object = {}) =>
    apple.sign({
      notificationType: 'REFUND',
      notificationUUID: 'n-1',
      signedDate: SIGNED_AT + 5,
      data: {
        bundleId: 'com.example.game',
        signedTransactionInfo: apple.sign({ ...TRANSACTION, revocationDate: SIGNED_AT }),
        ...data,
      },
      ...change,
    });
  const readNotification = (jws: string) => receipts.readNotification(jws, ['com.example.game']);

  it('names the transaction', async () => {
    expect(await readNotification(notification({}))).toMatchObject({
      notificationId: 'n-1',
      type: 'REFUND',
      signedAtMs: SIGNED_AT + 5,
      sale: { transactionId: '2000000123456789', revocation: { atMs: SIGNED_AT } },
    });
  });

  it('may name none', async () => {
    const test = notification({ notificationType: 'TEST' }, { signedTransactionInfo: undefined });
    expect(await readNotification(test)).toMatchObject({ type: 'TEST', sale: null });
  });

  it('is refused where it or its transaction is not signed, or of another app', async () => {
    const forged = stranger.sign({
      notificationType: 'REFUND',
      notificationUUID: 'n-2',
      signedDate: SIGNED_AT,
    });
    expect(await readNotification(forged)).toMatchObject({ code: 'receipt_invalid' });
    const inner = notification({}, { signedTransactionInfo: stranger.sign(TRANSACTION) });
    expect(await readNotification(inner)).toMatchObject({ code: 'receipt_invalid' });
    const foreign = notification({}, { bundleId: 'com.example.other' });
    expect(await readNotification(foreign)).toMatchObject({ code: 'receipt_of_another_app' });
  });
});
