import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { DAY_MS } from '../../platform/lib/day.js';
import { INTERMEDIATE_EXTENSION, LEAF_EXTENSION } from '../../platform/lib/receipts/signed-json.js';
import { type MadeCertificate, makeCertificate } from './make-certificate.js';

const YEAR_MS = 365 * DAY_MS;

/** Signs as Apple's stores do, with certificates of a root of its own. */
export type AppleSigner = Readonly<{
  /** Leaf, intermediate and root. */
  chain: readonly [MadeCertificate, MadeCertificate, MadeCertificate];
  /** The root as a file for SAVEPOINT_APPLE_ROOT_FILE. */
  rootPem: string;
  sign(payload: object): string;
}>;

export function createAppleSigner(nowMs: number): AppleSigner {
  return appleSignerOf(makeChain(nowMs));
}

/** The signer with certificates that were made before. */
export function appleSignerOf(chain: AppleSigner['chain']): AppleSigner {
  return { chain, rootPem: toPem(chain[2]), sign: (payload) => signJws(payload, chain) };
}

function makeChain(nowMs: number): AppleSigner['chain'] {
  const valid = { validFromMs: nowMs - YEAR_MS, validToMs: nowMs + 10 * YEAR_MS };
  const root = makeCertificate({ name: 'Savepoint fake store root', isAuthority: true, ...valid });
  const intermediate = makeCertificate({
    name: 'Savepoint fake store intermediate',
    issuer: root,
    isAuthority: true,
    extensions: [INTERMEDIATE_EXTENSION],
    ...valid,
  });
  const leaf = makeCertificate({
    name: 'Savepoint fake store receipts',
    issuer: intermediate,
    isAuthority: false,
    extensions: [LEAF_EXTENSION],
    ...valid,
  });
  return [leaf, intermediate, root];
}

/** `header` replaces members of the header. */
export function signJws(
  payload: object,
  chain: readonly MadeCertificate[],
  header: Record<string, unknown> = {},
): string {
  const x5c = chain.map(({ raw }) => raw.toString('base64'));
  const signed = `${encode({ alg: 'ES256', x5c, ...header })}.${encode(payload)}`;
  const key = chain[0]?.privateKey;
  if (key === undefined) throw new Error('a chain has a leaf');
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function toPem({ raw }: MadeCertificate): string {
  const lines = raw.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

/** Signs purchases as Google Play does. */
export type GoogleSigner = Readonly<{
  /** The key of the app as Google's console shows it. */
  publicKey: string;
  privateKey: KeyObject;
  sign(purchaseData: string): string;
}>;

export function createGoogleSigner(): GoogleSigner {
  return googleSignerOf(generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey);
}

/** The signer with a key that was made before. */
export function googleSignerOf(privateKey: KeyObject): GoogleSigner {
  return {
    publicKey: createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).toString('base64'),
    privateKey,
    sign: (purchaseData) => sign('sha1', Buffer.from(purchaseData), privateKey).toString('base64'),
  };
}
