// npm run faults -- [clients | erasure | experiments] --help, and the same for attacks, operations and soak
// The fault tests, attacks and trials of operators in their long form. They are written in TypeScript and share the end-to-end tests' support, so they are
// loaded with Vite, as those are: Node 20 does not run TypeScript.
import { fileURLToPath } from 'node:url';
import { createViteServer } from 'vitest/node';
import { WORKSPACE_SOURCES } from '../../scripts/workspaces.mjs';

const vite = await createViteServer({
  root: fileURLToPath(new URL('../../', import.meta.url)),
  configFile: false,
  appType: 'custom',
  logLevel: 'error',
  server: { middlewareMode: true, watch: null, ws: false, hmr: false },
  optimizeDeps: { noDiscovery: true },
  resolve: { alias: WORKSPACE_SOURCES },
});
const [first, ...rest] = process.argv.slice(2);
const named = {
  clients: '/e2e/faults/client-main.ts',
  erasure: '/e2e/faults/erasure-main.ts',
  experiments: '/e2e/faults/exposure-main.ts',
  attacks: '/e2e/attacks/main.ts',
  operations: '/e2e/operations/main.ts',
  soak: '/e2e/soak/main.ts',
}[first];
const { main } = await vite.ssrLoadModule(named ?? '/e2e/faults/main.ts');
const code = await main(named === undefined ? process.argv.slice(2) : rest);
await vite.close();
process.exit(code);
