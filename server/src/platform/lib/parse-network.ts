import { isIPv4, isIPv6 } from 'node:net';

/** Of IPv6: what a phone or a rented server has, what a household has, what one site has at most, and what a provider has at the least. */
export const SUBNET_BITS = 64;
const CUSTOMER_BITS = 56;
export const SITE_BITS = 48;
const PROVIDER_BITS = 32;

/**
 * The network that an address stands for, by which guesses are counted: IPv4 addresses are scarce and stand for themselves, of IPv6
 * every customer has 2^64 addresses at the least.
 *
 * @param ipv6Bits how wide an IPv6 network is
 */
export function parseNetwork(address: string | undefined, ipv6Bits = CUSTOMER_BITS): string {
  const parsed = parseAddress(address);
  return typeof parsed === 'string' ? parsed : formatNetwork(parsed, ipv6Bits);
}

/**
 * The network of a customer, and the wider networks that it is part of: what one site has at most (a /48, or a /24 of IPv4), and what
 * a provider has at the least (a /32, or a /16 of IPv4).
 */
export function parseNetworks(address: string | undefined): readonly [narrow: string, ...wider: string[]] {
  const parsed = parseAddress(address);
  if (typeof parsed !== 'string') {
    return [
      formatNetwork(parsed, CUSTOMER_BITS),
      formatNetwork(parsed, SITE_BITS),
      formatNetwork(parsed, PROVIDER_BITS),
    ];
  }
  const [, site, provider] = /^((\d+\.\d+)\.\d+)\.\d+$/.exec(parsed) ?? [];
  return site === undefined ? [parsed] : [parsed, `${site}.0/24`, `${provider}.0.0/16`];
}

/**
 * An IPv4 address, also where it is written as an IPv6 one, or the eight groups of an IPv6 address. Some proxies add the port, which
 * differs between connections. All that is no address, such as that of a socket file, is one: the empty text.
 */
function parseAddress(given = ''): string | readonly number[] {
  const address = given
    .replace(/^\[(.*)\](:\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
    .replace(/%.*$/, '');
  if (isIPv4(address)) return address;
  if (!isIPv6(address)) return '';
  const groups = expand(address);
  const [high = 0, low = 0] = groups.slice(6);
  return holdsIPv4(groups) ? [high >> 8, high & 255, low >> 8, low & 255].join('.') : groups;
}

/** `::ffff:0:0/96`, and the prefix by which servers that have IPv6 only see clients of IPv4 (RFC 6052). */
function holdsIPv4(groups: readonly number[]): boolean {
  const prefix = groups.slice(0, 6).join();
  return prefix === '0,0,0,0,0,65535' || prefix === '100,65435,0,0,0,0';
}

function formatNetwork(groups: readonly number[], bits: number): string {
  const kept = groups.slice(0, Math.ceil(bits / 16)).map((group, n) => {
    const zeros = Math.max(0, 16 * (n + 1) - bits);
    return ((group >> zeros) << zeros).toString(16);
  });
  return `${kept.join(':')}::/${bits}`;
}

/** The eight groups of an address. One that ends in an IPv4 address has two groups for that. */
function expand(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const read = (text: string) => (text === '' ? [] : text.split(':').flatMap(readGroup));
  const before = read(head);
  const after = read(tail ?? '');
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...new Array<number>(zeros).fill(0), ...after];
}

function readGroup(group: string): number[] {
  if (!group.includes('.')) return [Number.parseInt(group, 16)];
  const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
  return [a * 256 + b, c * 256 + d];
}
