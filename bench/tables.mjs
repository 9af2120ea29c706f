// npm run bench -- tables : the tables of the last whole measurement of each section, as Markdown.
import { SECTIONS } from './sections.mjs';
import { formatSection, formatTargets, readResults } from './support/results.mjs';

const results = await readResults(SECTIONS.map(({ name }) => name));
if (results.length === 0) {
  console.error('Nothing has been measured yet: npm run bench');
  process.exit(1);
}
for (const result of results) console.log(`### ${result.section}\n\n${formatSection(result)}\n`);
console.log(`### targets\n\n${formatTargets(results)}`);
