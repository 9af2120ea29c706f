// `node scripts/measure-house.mjs` says how much there is to read: the lines of the server by folder, and for a few ways into
// it the lines of all files that one reaches by imports, imports of types included. `--files login` lists those of one way.
// It also counts what the modules add to the processes: the imports of the composition.
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const SRC = fileURLToPath(new URL('../server/src', import.meta.url));
/** A way in: the files that somebody opens first. */
const WAYS = {
  login: ['core/sessions/login.ts'],
  refresh: ['core/sessions/refresh.ts'],
  status: ['core/players/player-routes.ts'],
  events: ['core/events/intake/event-routes.ts'],
  'the specification': [
    ...[
      'core/sessions/session-routes.ts',
      'core/players/player-routes.ts',
      'core/events/intake/event-routes.ts',
    ],
    'core/predictions/prediction-routes.ts',
  ],
};

const files = new Map(
  readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => [path, read(path)]),
);

const [option, way] = process.argv.slice(2);
if (option === '--files') listFiles(way);
else measure();

function read(path) {
  const text = readFileSync(join(SRC, path), 'utf8');
  const specifiers = [...text.matchAll(/(?:\bfrom|\bimport|\bimport\()\s*'(\.{1,2}\/[^']+)'/g)];
  return {
    lines: text.split('\n').length - 1,
    imports: specifiers.map(([, to]) => posix.join(posix.dirname(path), to).replace(/\.js$/, '.ts')),
  };
}

function reached(entries) {
  const lost = entries.filter((path) => !files.has(path));
  if (lost.length > 0) throw new Error(`There is no ${lost.join(', ')}: WAYS names it.`);
  const seen = new Set(entries);
  for (const path of seen) for (const to of files.get(path)?.imports ?? []) if (files.has(to)) seen.add(to);
  return [...seen].sort();
}

function linesOf(paths) {
  return paths.reduce((sum, path) => sum + files.get(path).lines, 0);
}

function measure() {
  const all = linesOf([...files.keys()]);
  const folders = grouped([...files.keys()], folderOf);
  const rows = [...folders].map(([name, paths]) => [name, linesOf(paths)]).sort((a, b) => b[1] - a[1]);
  print('lines of server/src', [...rows, ['all', all]], (lines) => `${((lines / all) * 100).toFixed(1)}%`);
  const ways = Object.entries(WAYS).map(([name, entries]) => [name, linesOf(reached(entries))]);
  print('lines that one reaches from', ways, () => '');
  const app = [...files].filter(([path]) => path.startsWith('app/'));
  console.log(`imports of other folders in app/: ${app.reduce((sum, [, file]) => sum + foreign(file), 0)}`);
}

function foreign({ imports }) {
  return imports.filter((to) => !to.startsWith('app/')).length;
}

function grouped(values, keyOf) {
  const groups = new Map();
  for (const value of values) groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value]);
  return groups;
}

function folderOf(path) {
  return path.split('/', 1)[0];
}

function print(title, rows, note) {
  console.log(`${title}:`);
  for (const [name, lines] of rows)
    console.log(`  ${name.padEnd(20)} ${lines.toLocaleString('en-US').padStart(9)} ${note(lines)}`.trimEnd());
}

function listFiles(name) {
  if (!Object.hasOwn(WAYS, name)) throw new Error(`--files takes one of: ${Object.keys(WAYS).join(', ')}`);
  for (const path of reached(WAYS[name])) console.log(`${String(files.get(path).lines).padStart(5)} ${path}`);
}
