// The server, from its TypeScript sources. Types are removed, not checked: `npm run check` does that.
//
//   server/dist/programs   a bundle for each program, with the packages it uses: what runs (docs/adr/0076-bundled-programs.md)
//   server/dist            a module for each source: what scripts, measurements and a few tests import
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { runNode } from './build-parts.mjs';
import { licencesOf } from './bundled-licences.mjs';
import { filesIn, root } from './sources-hash.mjs';
import { WORKSPACE_SOURCES, WORKSPACES } from './workspaces.mjs';

const PROGRAMS = [
  'savepoint',
  'boot-worker',
  'boot-operations',
  'event-files-thread',
  'predictions-thread',
  'sql-child',
];
/** The oldest Node that runs the service. */
const TARGET = 'node20.19';
/** What reads files of its own, is native, or is not installed everywhere. */
const EXTERNAL = [/^@duckdb\//, '@savepoint/simulator', 'pg-native'];

const dist = join(root, 'server/dist');
const bundles = join(dist, 'programs');

const sources = () => [
  ...['server', ...WORKSPACES].flatMap((folder) => filesIn(`${folder}/src`)),
  'server/package.json',
  'package-lock.json',
  'scripts/build-server.mjs',
  'scripts/workspaces.mjs',
];

export const programs = {
  name: 'the service',
  stamp: 'server/dist/programs/.built-from',
  sources,
  // In a process of its own: Rolldown takes 400 MB, and the process of `npm start` becomes the service.
  build: () => runNode([fileURLToPath(import.meta.url)]),
};

export const modules = {
  name: 'modules for scripts and tests',
  stamp: 'server/dist/.built-from',
  sources,
  build: writeModules,
};

/** Written elsewhere and then renamed: a build that fails or is cut off leaves the bundles as they were. */
async function bundlePrograms() {
  const { rolldown } = await import('rolldown');
  const warnings = [];
  const build = await rolldown({
    input: Object.fromEntries(PROGRAMS.map((name) => [name, join(root, 'server/src/app/bin', `${name}.ts`)])),
    platform: 'node',
    external: EXTERNAL,
    resolve: { alias: WORKSPACE_SOURCES },
    transform: { target: TARGET },
    onLog: (level, log) => level === 'warn' && warnings.push(log.message),
  });
  const dir = `${bundles}.new-${process.pid}`;
  const { output } = await build.write({
    dir,
    format: 'es',
    chunkFileNames: 'chunk-[name]-[hash].js',
    sourcemap: true,
    // Stack traces need places only, and the texts are three quarters of a map.
    sourcemapExcludeSources: true,
  });
  await build.close();
  if (warnings.length > 0) {
    rmSync(dir, { recursive: true });
    throw new Error(warnings.join('\n'));
  }
  const files = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
  writeFileSync(join(dir, 'THIRD-PARTY-LICENSES.txt'), licencesOf(files));
  rmSync(bundles, { recursive: true, force: true });
  renameSync(dir, bundles);
}

async function writeModules() {
  const { transformSync } = await import('rolldown/utils');
  mkdirSync(dist, { recursive: true });
  for (const name of readdirSync(dist))
    if (!name.startsWith('programs')) rmSync(join(dist, name), { recursive: true });
  for (const folder of WORKSPACES) rmSync(join(root, folder, 'dist'), { recursive: true, force: true });
  const files = ['server', ...WORKSPACES].flatMap((folder) => filesIn(`${folder}/src`));
  for (const file of files.filter((name) => name.endsWith('.ts'))) {
    const target = join(root, file.replace('/src/', '/dist/').replace(/\.ts$/, '.js'));
    const { code, map, errors } = transformSync(join(root, file), readFileSync(join(root, file), 'utf8'), {
      target: TARGET,
      sourcemap: true,
      typescript: { onlyRemoveTypeImports: true },
    });
    if (errors.length > 0) throw new Error(`${file}: ${errors.map(({ message }) => message).join('\n')}`);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, `${code}\n//# sourceMappingURL=${basename(target)}.map\n`);
    writeFileSync(`${target}.map`, JSON.stringify(map));
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await bundlePrograms().catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
