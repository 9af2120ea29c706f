// npm run bench:tables [-- --write] : the tables of the last whole measurement of each section, as Markdown. --write puts them
// into docs/performance.md, each between the two comments that carry the name of its section.
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { SECTIONS } from './sections.mjs';
import { formatSection, formatTargets, readResults } from './support/results.mjs';

const DOCUMENT = new URL('../docs/performance.md', import.meta.url);

const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const results = await readResults(SECTIONS.map(({ name }) => name));
if (results.length === 0) {
  console.error('Nothing has been measured yet: npm run bench');
  process.exit(1);
}
const blocks = [
  ...results.map((result) => ({ name: result.section, text: formatSection(result) })),
  { name: 'targets', text: formatTargets(results) },
];
if (values.write) await writeInto(DOCUMENT);
else for (const { name, text } of blocks) console.log(`### ${name}\n\n${text}\n`);

async function writeInto(file) {
  let document = await readFile(file, 'utf8');
  for (const { name, text } of blocks) {
    const [begin, end] = [`<!-- bench: ${name} -->`, `<!-- end: ${name} -->`];
    const from = document.indexOf(begin);
    const to = document.indexOf(end);
    if (from === -1 || to < from)
      throw new Error(`docs/performance.md has no place for ${name}: add ${begin} and ${end}.`);
    document = `${document.slice(0, from + begin.length)}\n${text}\n${document.slice(to)}`;
  }
  await writeFile(file, document);
  console.log(`Wrote ${blocks.length} tables into docs/performance.md.`);
}
