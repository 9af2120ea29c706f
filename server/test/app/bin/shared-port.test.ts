import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { sharedPort } from '../../../src/app/bin/shared-port.js';
import { stablePort } from '../../support/stable-port.js';

const CLUSTER = fileURLToPath(new URL('shared-port-cluster.mjs', import.meta.url));

describe('the port that all workers share', () => {
  it.each([
    ['is a number', async () => stablePort()],
    ['is chosen by the system', async () => 0],
  ])(
    'spreads connections over the workers, and is refused to a second service, when it %s',
    async (_, choose) => {
      const env = { ...process.env, PORT: String(await choose()) };
      const { stdout } = await promisify(execFile)(process.execPath, [CLUSTER], { env });
      const { ports, served, refusal } = JSON.parse(stdout);
      expect(new Set(ports).size).toBe(1);
      expect(served).toHaveLength(2);
      // Of 200. In turn these are 100 each; the kernel decides by a hash of the addresses.
      expect(Math.min(...served)).toBeGreaterThan(50);
      expect(refusal).toBe(
        `Port ${ports[0]} on 127.0.0.1 is taken by another program. Stop it, or choose another port with SAVEPOINT_PORT.`,
      );
    },
  );

  it('is bound by each worker on Linux, unless the system chooses it', () => {
    expect(sharedPort('::', 8080, 'linux')).toEqual({ host: '::', port: 8080, reusePort: true });
    expect(sharedPort('::', 0, 'linux')).toEqual({ host: '::', port: 0, reusePort: false });
    expect(sharedPort('::', 8080, 'darwin')).toEqual({ host: '::', port: 8080, reusePort: false });
  });
});
