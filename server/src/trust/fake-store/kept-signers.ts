import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolders } from '../../platform/lib/durable-file.js';
import type { MadeCertificate } from './make-certificate.js';
import {
  type AppleSigner,
  appleSignerOf,
  createAppleSigner,
  createGoogleSigner,
  type GoogleSigner,
  googleSignerOf,
} from './store-signers.js';

/** The keys of the fake store. They are kept, so that the root certificate stays the same from start to start. */
export type FakeStoreKeys = Readonly<{
  apple: AppleSigner;
  google: GoogleSigner;
  /** Of the service account that the fake store gives access tokens to. */
  account: KeyObject;
  rootFile: string;
}>;

type KeptCertificate = { raw: string; name: string; privateKey: string };
type Kept = { chain: KeptCertificate[]; google: string; account?: string };

export async function keepSigners(folder: string, nowMs: number): Promise<FakeStoreKeys> {
  await makeFolders(folder, 0o700);
  const file = join(folder, 'keys.json');
  const rootFile = join(folder, 'apple-root.pem');
  const known = await readFile(file, 'utf8').catch(() => undefined);
  const signers = known === undefined ? newSigners(nowMs) : readSigners(JSON.parse(known) as Kept);
  await writeFile(file, JSON.stringify(toKept(signers)), { mode: 0o600 });
  await writeFile(rootFile, signers.apple.rootPem);
  return { ...signers, rootFile };
}

type Signers = Omit<FakeStoreKeys, 'rootFile'>;

function newSigners(nowMs: number): Signers {
  return { apple: createAppleSigner(nowMs), google: createGoogleSigner(), account: newAccount() };
}

function newAccount(): KeyObject {
  return createGoogleSigner().privateKey;
}

function readSigners({ chain, google, account }: Kept): Signers {
  const [leaf, intermediate, root] = chain.map(({ raw, name, privateKey }) => ({
    raw: Buffer.from(raw, 'base64'),
    name,
    privateKey: createPrivateKey(privateKey),
  }));
  if (leaf === undefined || intermediate === undefined || root === undefined)
    throw new Error('the keys of the fake store are damaged: delete the folder');
  return {
    apple: appleSignerOf([leaf, intermediate, root]),
    google: googleSignerOf(createPrivateKey(google)),
    account: account === undefined ? newAccount() : createPrivateKey(account),
  };
}

function toKept({ apple, google, account }: Signers): Kept {
  const chain = apple.chain.map(({ raw, name, privateKey }: MadeCertificate) => ({
    raw: raw.toString('base64'),
    name,
    privateKey: toPem(privateKey),
  }));
  return { chain, google: toPem(google.privateKey), account: toPem(account) };
}

export function toPem(key: KeyObject): string {
  return key.export({ format: 'pem', type: 'pkcs8' }).toString();
}
