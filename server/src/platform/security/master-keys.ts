import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

/**
 * Seals what must not lie readable in the database (API secrets, signing keys) under `SAVEPOINT_MASTER_KEY`.
 *
 * A sealed blob is: version (1 byte) | key id (4) | nonce (12) | tag (16) | ciphertext, AES-256-GCM.
 * To rotate, put a new key in front: the first key seals, every listed key unseals.
 */

/**
 * The bytes live in `KeyObject`s, which neither JSON.stringify nor util.inspect can see into: a log line or
 * an error report that drags the configuration along shows key ids only.
 */
export type MasterKeys = {
  readonly primaryId: string;
  readonly byId: ReadonlyMap<string, KeyObject>;
};

export type MasterKeysResult = { ok: true; keys: MasterKeys } | { ok: false; problems: string[] };

export type UnsealReason = 'unknown_key' | 'malformed' | 'tampered';

export class UnsealError extends Error {
  override readonly name = 'UnsealError';
  constructor(
    readonly reason: UnsealReason,
    message: string,
  ) {
    super(message);
  }
}

const KEY_BYTES = 32;
const VERSION = 1;
const ID_AT = 1;
const NONCE_AT = 5;
const TAG_AT = 17;
const CIPHERTEXT_AT = 33;

/** 32 random bytes have about 30 distinct values; fewer than 16 does not happen by chance. */
const MIN_DISTINCT_BYTES = 16;

const MEND = 'Make one with: openssl rand -base64 32';

/** Reads `SAVEPOINT_MASTER_KEY`. Problems name a key by its place in the list, never by its content. */
export function parseMasterKeys(text: string): MasterKeysResult {
  const problems: string[] = [];
  const byId = new Map<string, KeyObject>();
  const placeOf = new Map<string, number>();
  const items = text.split(',');
  for (const [index, item] of items.entries()) {
    const place = index + 1;
    const name = items.length === 1 ? 'SAVEPOINT_MASTER_KEY' : `Key ${place} of SAVEPOINT_MASTER_KEY`;
    const key = decodeKey(item.trim());
    if (typeof key === 'string') {
      problems.push(`${name} ${key}`);
      continue;
    }
    const id = keyId(key);
    const earlier = placeOf.get(id);
    if (earlier !== undefined) {
      // Listed twice, a rotation has silently not happened. (A chance clash of ids is one in four thousand million.)
      problems.push(
        `${name} is the same as key ${earlier}. Remove it or, to rotate, put a new key first. ${MEND}`,
      );
      continue;
    }
    placeOf.set(id, place);
    byId.set(id, createSecretKey(key));
  }
  const [primaryId] = byId.keys();
  if (problems.length > 0 || primaryId === undefined) return { ok: false, problems };
  return { ok: true, keys: { primaryId, byId } };
}

/** The key's bytes, or the rest of a sentence that says what is wrong with it. */
function decodeKey(text: string): Buffer | string {
  if (text === '') return `is empty. ${MEND}`;
  if (/^[0-9a-f]{64}$/i.test(text)) return `looks like hexadecimal, but base64 is expected. ${MEND}`;
  if (!/^(?:[A-Za-z0-9+/]+|[A-Za-z0-9_-]+)={0,2}$/.test(text)) return `is not base64. ${MEND}`;
  const key = Buffer.from(text, 'base64');
  if (key.length !== KEY_BYTES) return `has ${key.length} bytes, but ${KEY_BYTES} are needed. ${MEND}`;
  // Node ignores stray bits and padding; a key that does not read back as written was cut or mistyped.
  const withoutPadding = key.toString('base64url');
  const asUrl = text.replaceAll('+', '-').replaceAll('/', '_');
  if (asUrl !== withoutPadding && asUrl !== `${withoutPadding}=`) return `is not well-formed base64. ${MEND}`;
  if (new Set(key).size < MIN_DISTINCT_BYTES) return `repeats too few bytes to be random. ${MEND}`;
  if (key.every(isTextByte)) return `is text that somebody typed, not random bytes. ${MEND}`;
  return key;
}

/** Printable ASCII, and the white space that `echo … | base64` adds. */
function isTextByte(byte: number): boolean {
  return (byte >= 0x20 && byte <= 0x7e) || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

/** Stable and safe to print: it tells which key is meant and nothing about its bytes. */
function keyId(key: Buffer): string {
  return createHash('sha256').update('savepoint-master-key').update(key).digest('hex').slice(0, 8);
}

export function primaryId(keys: MasterKeys): string {
  return keys.primaryId;
}

export function generateMasterKey(): string {
  return randomBytes(KEY_BYTES).toString('base64');
}

/**
 * @param boundTo names the one place where the blob belongs (`api-key:<id>`). A blob copied into another
 * row, say another tenant's, does not unseal there.
 */
export function seal(keys: MasterKeys, plaintext: Uint8Array | string, boundTo: string): Buffer {
  const header = Buffer.concat([Buffer.of(VERSION), Buffer.from(keys.primaryId, 'hex')]);
  const nonce = randomBytes(TAG_AT - NONCE_AT);
  const cipher = createCipheriv('aes-256-gcm', keyOf(keys, keys.primaryId), nonce, { authTagLength: 16 });
  cipher.setAAD(associatedData(header, boundTo));
  const bytes = typeof plaintext === 'string' ? Buffer.from(plaintext, 'utf8') : plaintext;
  const ciphertext = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return Buffer.concat([header, nonce, cipher.getAuthTag(), ciphertext]);
}

/** @throws UnsealError */
export function unseal(keys: MasterKeys, sealed: Uint8Array, boundTo: string): Buffer {
  const key = keyOf(keys, sealedUnder(sealed));
  const blob = asBuffer(sealed);
  // Without authTagLength Node accepts a tag cut to 4 bytes, which can be guessed.
  const decipher = createDecipheriv('aes-256-gcm', key, blob.subarray(NONCE_AT, TAG_AT), {
    authTagLength: 16,
  });
  decipher.setAAD(associatedData(blob.subarray(0, NONCE_AT), boundTo));
  decipher.setAuthTag(blob.subarray(TAG_AT, CIPHERTEXT_AT));
  try {
    return Buffer.concat([decipher.update(blob.subarray(CIPHERTEXT_AT)), decipher.final()]);
  } catch {
    throw new UnsealError(
      'tampered',
      'A sealed value was changed, or belongs to another place than this one.',
    );
  }
}

/** The id of the key a blob is sealed under, so that old blobs can be found and sealed anew. */
export function sealedUnder(sealed: Uint8Array): string {
  if (sealed.length < CIPHERTEXT_AT) {
    throw new UnsealError('malformed', 'A sealed value is cut short.');
  }
  if (sealed[0] !== VERSION) {
    throw new UnsealError(
      'malformed',
      `A sealed value has version ${sealed[0]}, this release knows ${VERSION}.`,
    );
  }
  return asBuffer(sealed).toString('hex', ID_AT, NONCE_AT);
}

function keyOf(keys: MasterKeys, id: string): KeyObject {
  const key = keys.byId.get(id);
  if (key === undefined) {
    throw new UnsealError(
      'unknown_key',
      `A value is sealed under master key ${id}, which is not configured. ` +
        'Add that old key to the end of SAVEPOINT_MASTER_KEY, after a comma.',
    );
  }
  return key;
}

/**
 * The header is authenticated too, so that no byte of a blob can change unnoticed. Its length is fixed: no two
 * pairs of header and place look alike.
 */
function associatedData(header: Buffer, boundTo: string): Buffer {
  return Buffer.concat([header, Buffer.from(boundTo, 'utf8')]);
}

/** A view, not a copy. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
