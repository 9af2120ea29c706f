import { encodeObjectIdentifier } from '../../platform/lib/receipts/der.js';

/** Writes values in DER, as far as certificates need them. */

const SHORT_LENGTH = 0x80;

export function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  if (content.length < SHORT_LENGTH) return Buffer.concat([Buffer.from([tag, content.length]), content]);
  const length = Buffer.from(content.length.toString(16).padStart(4, '0'), 'hex');
  return Buffer.concat([Buffer.from([tag, SHORT_LENGTH + length.length]), length, content]);
}

export const sequence = (...contents: readonly Buffer[]) => der(0x30, ...contents);
export const set = (...contents: readonly Buffer[]) => der(0x31, ...contents);
export const objectIdentifier = (dotted: string) => der(0x06, encodeObjectIdentifier(dotted));
export const utf8String = (text: string) => der(0x0c, Buffer.from(text));
export const octetString = (content: Buffer) => der(0x04, content);
/** The first byte says that no bit of the last byte is unused. */
export const bitString = (content: Buffer) => der(0x03, Buffer.from([0]), content);
export const TRUE = der(0x01, Buffer.from([0xff]));
export const NULL = der(0x05);
/** A tag of its place in the structure around it. */
export const tagged = (place: number, ...contents: readonly Buffer[]) => der(0xa0 + place, ...contents);

/** A positive number. */
export function integer(bytes: Buffer): Buffer {
  const isNegative = (bytes[0] ?? 0) >= 0x80;
  return der(0x02, isNegative ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}

/** `20261118120000Z` */
export function generalizedTime(epochMs: number): Buffer {
  const digits = new Date(epochMs).toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  return der(0x18, Buffer.from(digits));
}
