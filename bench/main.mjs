// npm run bench -- NAME [options]: one of the measurements of bench/README.md. Without a name: the service and its floors (run.mjs).
import { existsSync } from 'node:fs';

/** Parts of `run.mjs`. */
const PARTS = ['main', 'items', 'sections'];

const [name = ''] = process.argv.slice(2);
const file = new URL(`${name}.mjs`, import.meta.url);
const isNamed = /^[a-z][a-z-]*$/.test(name) && !PARTS.includes(name) && existsSync(file);
if (!isNamed && name !== '' && !name.startsWith('-')) {
  console.error(`There is no measurement "${name}". bench/README.md lists them.`);
  process.exit(1);
}
// Each reads its options from process.argv.
if (isNamed) process.argv.splice(2, 1);
await import(isNamed ? file.href : './run.mjs');
