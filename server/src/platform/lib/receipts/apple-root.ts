import type { X509Certificate } from 'node:crypto';

/** "Apple Root CA - G3", as Apple's PKI page publishes it. Apple signs receipts under no other root. */
const APPLE_ROOT_SHA256 =
  '63:34:3A:BF:B8:9A:6A:03:EB:B5:7E:9B:3F:5F:A7:BE:7C:4F:5C:75:6F:30:17:B3:A8:C4:88:C3:65:3E:91:79';

/** What to say of a root certificate of the settings that is not Apple's own. Undefined for Apple's. */
export function foreignRootWarning({
  subject,
  fingerprint256,
}: Pick<X509Certificate, 'subject' | 'fingerprint256'>): string | undefined {
  if (fingerprint256 === APPLE_ROOT_SHA256) return undefined;
  const name = subject.replaceAll('\n', ', ');
  return `SAVEPOINT_APPLE_ROOT_FILE names a root certificate that is not Apple's (${name}, SHA-256 ${fingerprint256}). Whoever holds its key can sign receipts that count as purchases at Apple. Use it for tests only; in production name "Apple Root CA - G3" from Apple's PKI page.`;
}
