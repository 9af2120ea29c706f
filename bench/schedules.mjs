// `npm run bench -- schedules` compares schedules with a slow, obvious oracle over all time zones of 2024 to 2028: a million triples of
// schedule, zone and instant, in about twenty minutes. The suite compares some of them. The oracle is part of the tests, so it is
// compiled first.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
// Below node_modules, where the compiled files find what they import.
const out = join(root, 'node_modules/.bench-schedules');
const source = 'test/decide/schedules/compare-schedules';
mkdirSync(out, { recursive: true });
writeFileSync(join(out, 'package.json'), '{"type":"module"}');
const options =
  '--ignoreConfig --module nodenext --target es2023 --lib es2023,dom --types node --skipLibCheck --strict';
const compiler = [
  'tsc',
  '--outDir',
  out,
  '--rootDir',
  'server',
  ...options.split(' '),
  `server/${source}.ts`,
];
if (spawnSync('npx', compiler, { cwd: root, stdio: 'inherit' }).status !== 0) process.exit(1);

const { compareSchedules } = await import(pathToFileURL(join(out, `${source}.js`)).href);
const zones = Intl.supportedValuesOf('timeZone');
let triples = 0;
let differences = 0;
for (const [n, zone] of zones.entries()) {
  const compared = compareSchedules([zone], n, { schedules: 120, instants: 20 });
  triples += compared.triples;
  differences += compared.differences.length;
  for (const difference of compared.differences.slice(0, 3)) console.log(difference);
  if (n % 25 === 24)
    console.log(`${n + 1} of ${zones.length} zones, ${triples} triples, ${differences} differences`);
}
console.log(`${zones.length} zones, ${triples} triples, ${differences} differences`);
rmSync(out, { recursive: true });
process.exitCode = differences === 0 ? 0 : 1;
