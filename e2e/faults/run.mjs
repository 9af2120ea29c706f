// npm run faults -- --help, npm run faults:clients -- --help
// The fault tests in their long form. They are written in TypeScript and share the end-to-end tests' support, so they are
// loaded with Vite, as those are: Node 20 does not run TypeScript.
import { fileURLToPath } from 'node:url';
import { createViteServer } from 'vitest/node';

const vite = await createViteServer({
  root: fileURLToPath(new URL('../../', import.meta.url)),
  configFile: false,
  appType: 'custom',
  logLevel: 'error',
  server: { middlewareMode: true, watch: null, ws: false, hmr: false },
  optimizeDeps: { noDiscovery: true },
});
const [first, ...rest] = process.argv.slice(2);
const isClients = first === 'clients';
const { main } = await vite.ssrLoadModule(`/e2e/faults/${isClients ? 'client-main' : 'main'}.ts`);
const code = await main(isClients ? rest : process.argv.slice(2));
await vite.close();
process.exit(code);
