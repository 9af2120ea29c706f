import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import {
  bitString,
  generalizedTime,
  integer,
  NULL,
  objectIdentifier,
  octetString,
  sequence,
  set,
  TRUE,
  tagged,
  utf8String,
} from './der-writer.js';

const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';
const COMMON_NAME = '2.5.4.3';
const BASIC_CONSTRAINTS = '2.5.29.19';
const VERSION_3 = 2;

/** A certificate that a test or the fake store has made, with its private key. */
export type MadeCertificate = Readonly<{ raw: Buffer; name: string; privateKey: KeyObject }>;

export type CertificateRequest = Readonly<{
  name: string;
  /** Its own issuer if left out. */
  issuer?: MadeCertificate;
  isAuthority: boolean;
  /** Object identifiers of further extensions, which have no content. */
  extensions?: readonly string[];
  validFromMs: number;
  validToMs: number;
}>;

/** Makes an X.509 certificate with a new key on the curve P-256. Node can read certificates, and cannot make them. */
export function makeCertificate(request: CertificateRequest): MadeCertificate {
  const { name, issuer, isAuthority, extensions = [], validFromMs, validToMs } = request;
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(objectIdentifier(ECDSA_WITH_SHA256));
  const body = sequence(
    tagged(0, integer(Buffer.from([VERSION_3]))),
    // Not beginning with a zero, which would be a number written too long.
    integer(Buffer.concat([Buffer.from([1]), randomBytes(7)])),
    algorithm,
    nameOf(issuer?.name ?? name),
    sequence(generalizedTime(validFromMs), generalizedTime(validToMs)),
    nameOf(name),
    publicKey.export({ format: 'der', type: 'spki' }),
    tagged(
      3,
      sequence(
        ...(isAuthority ? [extension(BASIC_CONSTRAINTS, sequence(TRUE), true)] : []),
        ...extensions.map((dotted) => extension(dotted, NULL, false)),
      ),
    ),
  );
  const signature = sign('sha256', body, issuer?.privateKey ?? privateKey);
  return { raw: sequence(body, algorithm, bitString(signature)), name, privateKey };
}

function nameOf(name: string): Buffer {
  return sequence(set(sequence(objectIdentifier(COMMON_NAME), utf8String(name))));
}

function extension(dotted: string, content: Buffer, isCritical: boolean): Buffer {
  return sequence(objectIdentifier(dotted), ...(isCritical ? [TRUE] : []), octetString(content));
}
