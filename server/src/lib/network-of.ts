import { isIPv6 } from 'node:net';

/**
 * Whom an address stands for. Of IPv6 that is the network of 2^72 addresses that one customer has at the least; of IPv4 it is the
 * address itself, also where it is written as an IPv6 one.
 */
export function networkOf(address: string): string {
  const [plain = ''] = address.split('%', 1);
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(plain)) return plain;
  const groups = expand(plain).slice(0, 4);
  const last = groups[3] ?? 0;
  return `${[...groups.slice(0, 3), last & 0xff00].map((group) => group.toString(16)).join(':')}::/56`;
}

/** The eight groups of an address. One that ends in an IPv4 address has two groups for that, which nobody looks at here. */
function expand(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const read = (text: string) =>
    text === ''
      ? []
      : text.split(':').flatMap((group) => (group.includes('.') ? [0, 0] : [Number.parseInt(group, 16)]));
  const before = read(head);
  const after = read(tail ?? '');
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...new Array<number>(zeros).fill(0), ...after];
}
