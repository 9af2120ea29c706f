import { createHash, verify } from 'node:crypto';
import { promisify } from 'node:util';
import { createFifoMap } from '../fifo-map.js';
import { parseObject } from '../is-object.js';
import { type Certificate, readCertificate } from './certificates.js';

const verifyInThread = promisify(verify);

/** The extensions by which Apple marks the certificates that sign receipts. */
export const LEAF_EXTENSION = '1.2.840.113635.100.6.11.1';
export const INTERMEDIATE_EXTENSION = '1.2.840.113635.100.6.2.1';

/** A signature of ES256 is two numbers of 32 bytes. In DER it has another length, and is no signature of a JWS. */
const SIGNATURE_BYTES = 64;
const CERTIFICATES = 3;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const BASE64_URL = /^[A-Za-z0-9_-]+$/;
/** Apple uses a leaf for months. A hostile client cannot fill this: only chains to the root get in. */
const MAX_REMEMBERED_CHAINS = 100;

/** The payload of a JWS whose signature and chain are right, or why it is not to be believed. */
export type SignedPayload = { payload: Record<string, unknown> } | { flaw: string };

export type SignedJsonReader = (jws: string, maxBytes: number) => Promise<SignedPayload>;

type Chain = readonly [leaf: Certificate, intermediate: Certificate, root: Certificate];

/**
 * Reads JSON that Apple has signed: a JWS (ES256) with exactly three certificates, which lead to one of the roots.
 *
 *   size, form ──► algorithm ──► root known? ──► extensions ──► signatures of the chain ──► dates at signing ──► signature
 *                                                  └── remembered by leaf, once they were right ──┘
 *
 * What costs little is checked first, so a forged receipt costs little, too. Signatures are checked in Node's thread pool.
 */
export function createSignedJsonReader(roots: readonly Certificate[]): SignedJsonReader {
  const rememberedChains = createFifoMap<string, Chain>();

  const chainOf = async (texts: readonly string[]): Promise<Chain | string> => {
    const key = createHash('sha256').update(texts.join('.')).digest('base64');
    const known = rememberedChains.get(key);
    if (known !== undefined) return known;
    const chain = await verifyChain(texts, roots);
    if (typeof chain === 'string') return chain;
    rememberedChains.set(key, chain);
    const oldest = rememberedChains.size > MAX_REMEMBERED_CHAINS ? rememberedChains.oldest() : undefined;
    if (oldest !== undefined) rememberedChains.delete(oldest[0]);
    return chain;
  };

  return async (jws, maxBytes) => {
    if (jws.length > maxBytes) return { flaw: `it is longer than ${maxBytes} characters` };
    const [header = '', payload = '', signature = '', ...rest] = jws.split('.');
    if (rest.length > 0 || ![header, payload, signature].every((part) => BASE64_URL.test(part)))
      return { flaw: 'it is not a signed text of three parts' };
    const texts = certificatesOf(header);
    if (typeof texts === 'string') return { flaw: texts };
    const claims = objectOf(payload);
    const signedAtMs = claims?.signedDate;
    if (claims === undefined || typeof signedAtMs !== 'number') return { flaw: 'it has no date of signing' };
    const chain = await chainOf(texts);
    if (typeof chain === 'string') return { flaw: chain };
    if (!chain.every((one) => one.validFromMs <= signedAtMs && signedAtMs <= one.validToMs))
      return { flaw: 'a certificate was not valid when it was signed' };
    const bytes = Buffer.from(signature, 'base64url');
    const key = { key: chain[0].x509.publicKey, dsaEncoding: 'ieee-p1363' as const };
    const isRight =
      bytes.length === SIGNATURE_BYTES &&
      (await verifyInThread('sha256', Buffer.from(`${header}.${payload}`), key, bytes));
    return isRight ? { payload: claims } : { flaw: 'the signature is wrong' };
  };
}

/** The certificates in a header, or what is wrong with it. */
function certificatesOf(header: string): string[] | string {
  const { alg, x5c, crit } = objectOf(header) ?? {};
  if (alg !== 'ES256') return 'it is not signed with ES256';
  if (crit !== undefined) return 'its header asks for something that is not known';
  const isChain =
    Array.isArray(x5c) &&
    x5c.length === CERTIFICATES &&
    x5c.every((text) => typeof text === 'string' && BASE64.test(text));
  return isChain ? x5c : `it does not have ${CERTIFICATES} certificates`;
}

async function verifyChain(texts: readonly string[], roots: readonly Certificate[]): Promise<Chain | string> {
  const raws = texts.map((text) => Buffer.from(text, 'base64'));
  const root = roots.find(({ raw }) => raws[2]?.equals(raw));
  if (root === undefined) return 'its certificates do not lead to the root certificate of the settings';
  const [leaf, intermediate] = raws.slice(0, 2).map(readCertificate);
  if (leaf === undefined || intermediate === undefined) return 'a certificate cannot be read';
  if (!leaf.hasExtension(LEAF_EXTENSION) || leaf.x509.ca || !isP256(leaf))
    return 'the first certificate is not one that signs receipts';
  if (!intermediate.hasExtension(INTERMEDIATE_EXTENSION) || !intermediate.x509.ca)
    return 'the second certificate is not one that signs certificates for receipts';
  const isSigned = (await intermediate.isSignedBy(root)) && (await leaf.isSignedBy(intermediate));
  return isSigned ? [leaf, intermediate, root] : 'a certificate is not signed by the next one';
}

function isP256({ x509 }: Certificate): boolean {
  return x509.publicKey.asymmetricKeyDetails?.namedCurve === 'prime256v1';
}

function objectOf(part: string): Record<string, unknown> | undefined {
  return parseObject(Buffer.from(part, 'base64url').toString('utf8'));
}
