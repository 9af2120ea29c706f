// npm run bench [-- --quick] [--rounds N] [--seconds N] [--workers N] [--only text]
// Measures the service and its floors in the same run, alternating, and reports ratios: on a shared machine a rate alone
// says nothing. Loopback only; every run is bounded.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createItems } from './items.mjs';
import { chart } from './support/chart.mjs';
import { createPlayground } from './support/playground.mjs';
import { formatTable, summarise } from './support/report.mjs';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    workers: { type: 'string', default: String(Math.min(2, cpus().length)) },
    only: { type: 'string', default: '' },
  },
});
const rounds = Number(values.rounds ?? (values.quick ? 1 : 5));
const seconds = Number(values.seconds ?? (values.quick ? 2 : 5));
const workers = Number(values.workers);

const folder = await mkdtemp(join(tmpdir(), 'savepoint-bench-run-'));
const playground = await createPlayground({ workers, folder });
const samples = [];
try {
  const items = createItems(playground, seconds).filter(({ name }) => name.includes(values.only));
  // Compilers, connections and remembered tokens are warm in a service that has players.
  for (const item of items) {
    console.log(`warming up ${item.name}`);
    await item.work();
  }
  for (let round = 1; round <= rounds; round++) {
    for (const item of items) {
      const floor = await item.floor();
      const work = await item.work();
      samples.push({
        round,
        name: item.name,
        target: item.target,
        floor,
        work,
        ratio: work.perSecond / floor.perSecond,
      });
      console.log(
        `round ${round}/${rounds}  ${item.name.padEnd(22)} ${work.perSecond.toFixed(0).padStart(8)}/s  floor ${floor.perSecond.toFixed(0).padStart(8)}/s  ratio ${(work.perSecond / floor.perSecond).toFixed(2)}`,
      );
    }
  }
} finally {
  await playground.close();
  await rm(folder, { recursive: true, force: true });
}

const machine = `${cpus().length} cores (${cpus()[0]?.model || process.arch}), Node ${process.version}, ${workers} API workers; generator, service and PostgreSQL on the same cores`;
const rows = summarise(samples);
console.log(`\n${machine}\n\n${formatTable(rows)}`);

const results = new URL('./results/', import.meta.url);
await mkdir(results, { recursive: true });
await writeFile(
  new URL('latest.json', results),
  `${JSON.stringify({ machine, rounds, seconds, rows, samples }, null, 2)}\n`,
);
await writeFile(new URL('latest.svg', results), chart(rows, machine));
console.log(`\nWrote ${fileURLToPath(results)}latest.json and latest.svg.`);
