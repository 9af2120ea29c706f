import { type KeyObject, verify, X509Certificate } from 'node:crypto';
import { promisify } from 'node:util';
import { childrenOf, encodeObjectIdentifier, readDer } from './der.js';

/** With a callback Node checks signatures in its thread pool, so the event loop goes on meanwhile. */
const verifyInThread = promisify(verify);

/** A certificate, with what Node's own class does not tell of it. */
export type Certificate = Readonly<{
  raw: Buffer;
  x509: X509Certificate;
  validFromMs: number;
  validToMs: number;
  /** Whether it has an extension of this kind, given as a dotted object identifier. */
  hasExtension(dotted: string): boolean;
  isSignedBy(issuer: Certificate): Promise<boolean>;
}>;

/** The tag of a certificate's extensions. */
const EXTENSIONS = 0xa3;
const HASHES = new Map([
  ['1.2.840.10045.4.3.2', 'sha256'],
  ['1.2.840.10045.4.3.3', 'sha384'],
]);
const HASHES_BY_OID = new Map(
  [...HASHES].map(([dotted, hash]) => [encodeObjectIdentifier(dotted).toString('hex'), hash]),
);

/** Undefined for anything that is no certificate with an ECDSA signature. */
export function readCertificate(raw: Buffer): Certificate | undefined {
  const parts = partsOf(raw);
  if (parts === undefined) return undefined;
  let x509: X509Certificate;
  let publicKey: KeyObject;
  try {
    x509 = new X509Certificate(raw);
    publicKey = x509.publicKey;
  } catch {
    return undefined;
  }
  if (publicKey.asymmetricKeyType !== 'ec') return undefined;
  const { signed, hash, signature, extensions } = parts;
  return {
    raw,
    x509,
    validFromMs: Date.parse(x509.validFrom),
    validToMs: Date.parse(x509.validTo),
    hasExtension: (dotted) => extensions.has(encodeObjectIdentifier(dotted).toString('hex')),
    isSignedBy: (issuer) =>
      x509.checkIssued(issuer.x509)
        ? verifyInThread(hash, signed, issuer.x509.publicKey, signature)
        : Promise.resolve(false),
  };
}

type Parts = { signed: Buffer; hash: string; signature: Buffer; extensions: ReadonlySet<string> };

/** What is signed, the signature, and the object identifiers of the extensions, in hex. */
function partsOf(raw: Buffer): Parts | undefined {
  const whole = readDer(raw, 0, raw.length);
  if (whole === undefined || whole.end !== raw.length) return undefined;
  const [body, algorithm, signature] = childrenOf(raw, whole);
  if (body === undefined || algorithm === undefined || signature === undefined) return undefined;
  const [oid] = childrenOf(raw, algorithm);
  const hash = oid && HASHES_BY_OID.get(raw.toString('hex', oid.contentStart, oid.end));
  if (hash === undefined) return undefined;
  const holder = childrenOf(raw, body).find(({ tag }) => tag === EXTENSIONS);
  const list = holder && childrenOf(raw, holder)[0];
  const extensions = (list === undefined ? [] : childrenOf(raw, list)).flatMap((extension) => {
    const [id] = childrenOf(raw, extension);
    return id === undefined ? [] : [raw.toString('hex', id.contentStart, id.end)];
  });
  return {
    signed: raw.subarray(body.start, body.end),
    hash,
    // The first byte of a bit string says how many bits of the last one are unused: none.
    signature: raw.subarray(signature.contentStart + 1, signature.end),
    extensions: new Set(extensions),
  };
}

/** The certificates of a file: several in PEM, or one in DER. Throws if it holds anything else. */
export function readCertificateFile(content: Buffer): Certificate[] {
  const text = content.toString('latin1');
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  const raws = blocks === null ? [content] : blocks.map((block) => new X509Certificate(block).raw);
  return raws.map((raw) => {
    const certificate = readCertificate(raw);
    if (certificate === undefined) throw new Error('it holds no certificate with an elliptic-curve key');
    return certificate;
  });
}
