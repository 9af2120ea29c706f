// npm run bench [-- --quick] [--only text] [--rounds N] [--seconds N] …        (npm run bench -- --help says all)
// Measures the service and its floors in the same run, alternating, and reports ratios: on a shared machine a rate alone
// says nothing. Loopback only; every run is bounded.
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { direct, oneWorker } from './sections/direct.mjs';
import { growth } from './sections/growth.mjs';
import { jetstream } from './sections/jetstream.mjs';
import { latency } from './sections/latency.mjs';
import { memory } from './sections/memory.mjs';
import { start } from './sections/start.mjs';
import { chart } from './support/chart.mjs';
import { runAndCleanUp } from './support/interrupt.mjs';
import { HELP, isWanted, readOptions } from './support/options.mjs';
import { createPlaygrounds } from './support/playgrounds.mjs';
import {
  formatTables,
  summarise,
  summariseFloors,
  summariseLimits,
  summariseOpenLoops,
} from './support/report.mjs';

const SECTIONS = [direct, oneWorker, jetstream, latency, start, growth, memory];

async function main(options) {
  if (options.help) return console.log(HELP);
  const chosen = SECTIONS.filter(({ name, parts }) => parts.some((part) => isWanted(options, name, part)));
  if (options.list || chosen.length === 0) {
    if (chosen.length === 0) process.exitCode = 1;
    for (const { name, parts } of SECTIONS) console.log(`${name}:\n  ${parts.join('\n  ')}`);
    return;
  }
  const begun = performance.now();
  const found = { samples: [], floors: [], openLoops: [], limits: [], memory: [] };
  const playgrounds = createPlaygrounds(options.quick);
  try {
    for (const section of chosen) {
      console.log(`\n${section.name}`);
      const sectionBegun = performance.now();
      const part = await section.run(options, playgrounds);
      console.log(`${section.name} took ${((performance.now() - sectionBegun) / 1000).toFixed(0)} s`);
      for (const [kind, entries] of Object.entries(part)) found[kind].push(...entries);
    }
  } finally {
    await playgrounds.close();
  }
  const { rounds, seconds, workers } = options;
  const machine = `${cpus().length} cores (${cpus()[0]?.model || process.arch}), Node ${process.version}, ${workers} API workers; generator, service and PostgreSQL on the same cores`;
  const report = {
    ratios: summarise(found.samples),
    limits: summariseLimits(found.limits),
    openLoops: summariseOpenLoops(found.openLoops),
    floors: summariseFloors(found.floors),
  };
  console.log(`\n${machine}\n${rounds} rounds of ${seconds} s\n\n${formatTables(report)}`);

  // A part of it must not take the place of the whole.
  const name = chosen.length === SECTIONS.length && !options.quick ? 'latest' : 'partial';
  const results = new URL('./results/', import.meta.url);
  await mkdir(results, { recursive: true });
  const json = { machine, rounds, seconds, ...report, memory: found.memory, samples: found.samples };
  await writeFile(new URL(`${name}.json`, results), `${JSON.stringify(json, null, 2)}\n`);
  await writeFile(new URL(`${name}.svg`, results), chart(report.ratios, machine));
  const took = ((performance.now() - begun) / 1000).toFixed(0);
  console.log(`\nTook ${took} s. Wrote ${fileURLToPath(results)}${name}.json and ${name}.svg.`);
}

try {
  const options = readOptions(process.argv.slice(2));
  await runAndCleanUp(() => main(options));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
