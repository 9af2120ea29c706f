// npm run bench [-- --quick] [--only text] [--rounds N] [--seconds N] …        (npm run bench -- --help says all)
// Measures the service and its floors in the same run, alternating, and reports ratios: on a shared machine a rate alone
// cannot be compared. Loopback only; every run is bounded.
import { SECTIONS } from './sections.mjs';
import { runAndCleanUp } from './support/interrupt.mjs';
import { HELP, isWanted, readOptions } from './support/options.mjs';
import { createPlaygrounds } from './support/playgrounds.mjs';
import { summariseSection } from './support/report.mjs';
import { describeRun, formatSection, formatTargets, writeResult } from './support/results.mjs';

async function main(options, args) {
  if (options.help) return console.log(HELP);
  const isChosen =
    ({ name }) =>
    (part) =>
      isWanted(options, name, part);
  const chosen = SECTIONS.filter((section) => section.parts.some(isChosen(section)));
  if (options.list || chosen.length === 0) {
    if (chosen.length === 0) process.exitCode = 1;
    for (const { name, parts } of SECTIONS) console.log(`${name}:\n  ${parts.join('\n  ')}`);
    return;
  }
  const begun = performance.now();
  const results = [];
  const failures = [];
  const playgrounds = createPlaygrounds(options.quick);
  try {
    for (const section of chosen) {
      console.log(`\n${section.name}`);
      const sectionBegun = performance.now();
      // The results of one section must not be lost when another section fails.
      try {
        const found = await section.run(options, playgrounds);
        const isWhole = !options.quick && section.parts.every(isChosen(section));
        if (Object.keys(found).length > 0) results.push(await keep(found, section.name, isWhole));
      } catch (error) {
        failures.push(`${section.name} failed: ${error.message}`);
        console.error(failures.at(-1));
      }
      console.log(`${section.name} took ${((performance.now() - sectionBegun) / 1000).toFixed(0)} s`);
    }
  } finally {
    await playgrounds.close();
  }
  for (const result of results) console.log(`\n### ${result.section}\n\n${formatSection(result)}`);
  console.log(`\n${formatTargets(results)}`);
  console.log(`\nTook ${((performance.now() - begun) / 1000).toFixed(0)} s.`);
  for (const failure of failures) console.error(failure);
  if (failures.length > 0) process.exitCode = 1;

  async function keep(found, section, isWhole) {
    const result = { ...(await describeRun(options, section, args)), ...summariseSection(found) };
    const { samples, memory } = found;
    console.log(`wrote ${await writeResult({ ...result, samples, memory }, isWhole)}`);
    return result;
  }
}

try {
  const args = process.argv.slice(2);
  const options = readOptions(args);
  await runAndCleanUp(() => main(options, args));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
