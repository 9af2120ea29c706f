import { fileURLToPath } from 'node:url';
import { afterAll, describe } from 'vitest';
import { createProcessHosts } from '../src/process-host.js';
import { playEveryExchange } from './support/exchanges.js';

/** Compiled by `npm run build`. */
const DRIVER = fileURLToPath(new URL('../dist/drivers/node.js', import.meta.url));

describe('the TypeScript client in Node', () => {
  const hosts = createProcessHosts([process.execPath, DRIVER]);
  afterAll(hosts.close);

  playEveryExchange(hosts.newHost);
});
