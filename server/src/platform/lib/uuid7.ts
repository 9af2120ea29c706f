import { takeRandomBytes } from './random-bytes.js';

/** A version 7 UUID (RFC 9562): led by time, so that rows made together lie together in an index. */
export function uuid7(nowMs: number): string {
  const bytes = takeRandomBytes(16);
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
