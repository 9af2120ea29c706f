/** A value in DER: its tag, where it begins with the tag, and where its content begins and ends. */
export type DerValue = Readonly<{ tag: number; start: number; contentStart: number; end: number }>;

const LONG_LENGTH = 0x80;
/** Four bytes of length hold more than any certificate. */
const MAX_LENGTH_BYTES = 4;

/** Reads the value at an offset. Undefined if it is cut short, or reaches beyond `limit`. */
export function readDer(bytes: Buffer, start: number, limit: number): DerValue | undefined {
  const tag = bytes[start];
  const first = bytes[start + 1];
  if (tag === undefined || first === undefined || start + 2 > limit) return undefined;
  let contentStart = start + 2;
  let length = first;
  if (first >= LONG_LENGTH) {
    const lengthBytes = first - LONG_LENGTH;
    if (lengthBytes === 0 || lengthBytes > MAX_LENGTH_BYTES) return undefined;
    contentStart += lengthBytes;
    if (contentStart > limit) return undefined;
    length = bytes.readUIntBE(start + 2, lengthBytes);
  }
  const end = contentStart + length;
  return end > limit ? undefined : { tag, start, contentStart, end };
}

/** The values within a value. What comes after one that cannot be read is left out. */
export function childrenOf(bytes: Buffer, { contentStart, end }: DerValue): DerValue[] {
  const children: DerValue[] = [];
  for (let at = contentStart; at < end; ) {
    const child = readDer(bytes, at, end);
    if (child === undefined) break;
    children.push(child);
    at = child.end;
  }
  return children;
}

/** The content of an object identifier: `1.2.840` is 2a 86 48. */
export function encodeObjectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return Buffer.from([first * 40 + second, ...rest].flatMap(base128));
}

/** Seven bits a byte, the highest first; all but the last have the eighth bit set. */
function base128(value: number): number[] {
  const bytes = [value % 128];
  for (let left = Math.floor(value / 128); left > 0; left = Math.floor(left / 128))
    bytes.unshift((left % 128) + 128);
  return bytes;
}
