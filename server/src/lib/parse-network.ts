import { isIPv6 } from 'node:net';

/**
 * Whom an address stands for. Of IPv6 that is the network of 2^72 addresses that one customer has at the least; of IPv4 it is the
 * address itself, also where it is written as an IPv6 one.
 */
export function parseNetwork(address: string): string {
  return parseNetworks(address)[0];
}

/**
 * The same, and the wider networks that it is part of: what one site has at most (a /48, or a /24 of IPv4), and what a provider has at
 * the least (a /32, or a /16 of IPv4).
 */
export function parseNetworks(address: string): readonly [narrow: string, ...wider: string[]] {
  const [plain = ''] = address.split('%', 1);
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1];
  if (mapped !== undefined || !isIPv6(plain)) return networksOfIPv4(mapped ?? plain);
  const groups = expand(plain).map((group, n) => (n === 3 ? group & 0xff00 : group));
  const first = (count: number) =>
    groups
      .slice(0, count)
      .map((group) => group.toString(16))
      .join(':');
  return [`${first(4)}::/56`, `${first(3)}::/48`, `${first(2)}::/32`];
}

/** What is no address at all, such as that of a socket file, is part of nothing. */
function networksOfIPv4(address: string): readonly [narrow: string, ...wider: string[]] {
  const [, site, provider] = /^((\d+\.\d+)\.\d+)\.\d+$/.exec(address) ?? [];
  if (site === undefined) return [address];
  return [address, `${site}.0/24`, `${provider}.0.0/16`];
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
