import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';
import { createProcessHost } from '../src/process-host.js';
import { playEveryExchange } from './support/exchanges.js';

/** Compiled by `npm run build`. */
const DRIVER = fileURLToPath(new URL('../dist/drivers/node.js', import.meta.url));

describe('the TypeScript client in Node', () => {
  playEveryExchange(() => createProcessHost([process.execPath, DRIVER]));
});
