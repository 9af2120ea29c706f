import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AppleSigner,
  createAppleSigner,
  createGoogleSigner,
} from '../../src/trust/fake-store/store-signers.js';

export const BUNDLE_ID = 'com.example.game';

/** Both stores on this machine, with their root certificate in a file. */
export type TestStores = {
  appleRootFile: string;
  googleKey: string;
  apple: AppleSigner;
  /** `payload.receipt` of a purchase. Members replace those of an honest transaction. */
  appleReceipt(transaction: Record<string, unknown>): { store: 'apple'; signedTransaction: string };
  googleReceipt(purchase: Record<string, unknown>): {
    store: 'google';
    purchaseData: string;
    signature: string;
  };
  /** The signed payload of a notification about a transaction. */
  notification(type: string, id: string, signedDate: number, transaction: Record<string, unknown>): string;
  remove(): void;
};

export function createTestStores(nowMs = Date.now()): TestStores {
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-stores-'));
  const appleRootFile = join(folder, 'root.pem');
  const apple = createAppleSigner(nowMs);
  const google = createGoogleSigner();
  writeFileSync(appleRootFile, apple.rootPem);
  const transactionOf = (members: Record<string, unknown>) => ({
    bundleId: BUNDLE_ID,
    productId: 'gems-100',
    purchaseDate: nowMs - 1_000,
    quantity: 1,
    price: 4_990,
    currency: 'USD',
    environment: 'Production',
    inAppOwnershipType: 'PURCHASED',
    signedDate: nowMs,
    ...members,
  });
  return {
    appleRootFile,
    googleKey: google.publicKey,
    apple,
    appleReceipt: (members) => ({ store: 'apple', signedTransaction: apple.sign(transactionOf(members)) }),
    googleReceipt(members) {
      const purchaseData = JSON.stringify({
        packageName: BUNDLE_ID,
        productId: 'gems-100',
        purchaseTime: nowMs - 1_000,
        purchaseState: 0,
        ...members,
      });
      return { store: 'google', purchaseData, signature: google.sign(purchaseData) };
    },
    notification: (notificationType, notificationUUID, signedDate, members) =>
      apple.sign({
        notificationType,
        notificationUUID,
        signedDate,
        data: {
          bundleId: BUNDLE_ID,
          signedTransactionInfo: apple.sign(transactionOf({ ...members, signedDate })),
        },
      }),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
