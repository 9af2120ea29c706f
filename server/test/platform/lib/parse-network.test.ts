import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseNetwork, parseNetworks, SITE_BITS } from '../../../src/platform/lib/parse-network.js';
import { runs } from '../../support/property-runs.js';

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:203.0.113.7', '203.0.113.7'],
  ['::1', '0:0:0:0::/56'],
  ['2001:db8:1:1234:5:6:7:8', '2001:db8:1:1200::/56'],
  ['2001:DB8:1:12ff::9', '2001:db8:1:1200::/56'],
  ['2001:db8:1:1300::', '2001:db8:1:1300::/56'],
  ['2001:db8::', '2001:db8:0:0::/56'],
  ['fe80::1%eth0', 'fe80:0:0:0::/56'],
  ['::ffff:cb00:7107', '203.0.113.7'],
  ['64:ff9b::203.0.113.7', '203.0.113.7'],
  ['64:ff9b::cb00:7107', '203.0.113.7'],
  ['64:ff9b:1::203.0.113.7', '64:ff9b:1:0::/56'],
  // As some proxies write it.
  ['203.0.113.7:49152', '203.0.113.7'],
  ['[2001:db8:1:1234::7]:49152', '2001:db8:1:1200::/56'],
  ['[2001:db8:1:1234::7]', '2001:db8:1:1200::/56'],
  ['', ''],
  [undefined, ''],
  ['/run/savepoint.sock', ''],
  ['203.0.113.7.8', ''],
])('%s stands for %s', (address, network) => {
  expect(parseNetwork(address)).toBe(network);
});

it('is as wide as is asked for, of IPv6', () => {
  const address = '2001:db8:1:1234:5:6:7:8';
  expect(parseNetwork(address, 64)).toBe('2001:db8:1:1234::/64');
  expect(parseNetwork(address, SITE_BITS)).toBe('2001:db8:1::/48');
  expect(parseNetwork('203.0.113.7', SITE_BITS)).toBe('203.0.113.7');
});

it('is the same for two addresses exactly if their first bits are the same', () => {
  const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 });
  fc.assert(
    fc.property(groups, fc.nat(127), fc.integer({ min: 1, max: 128 }), (address, flipped, bits) => {
      const other = address.map((group, n) =>
        n === flipped >> 4 ? group ^ (0x8000 >> (flipped & 15)) : group,
      );
      const [one, two] = [address, other].map((each) => each.map((group) => group.toString(16)).join(':'));
      fc.pre(parseNetwork(one, 128).includes(':') && parseNetwork(two, 128).includes(':'));
      expect(parseNetwork(one, bits) === parseNetwork(two, bits)).toBe(flipped >= bits);
    }),
    { numRuns: runs(200) },
  );
});

it.each([
  ['203.0.113.7', ['203.0.113.7', '203.0.113.0/24', '203.0.0.0/16']],
  ['::ffff:203.0.113.7', ['203.0.113.7', '203.0.113.0/24', '203.0.0.0/16']],
  ['2001:db8:1:1234::8', ['2001:db8:1:1200::/56', '2001:db8:1::/48', '2001:db8::/32']],
  ['::1', ['0:0:0:0::/56', '0:0:0::/48', '0:0::/32']],
  ['', ['']],
])('%s is part of %j', (address, networks) => {
  expect(parseNetworks(address)).toEqual(networks);
});
