import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { formatTables, isReached } from './tables.mjs';

const RESULTS = new URL('../results/', import.meta.url);
const PARTIAL = new URL('partial/', RESULTS);

/** One file for each section: sections can be measured one at a time. A part of a section must not replace the whole. */
export async function writeResult(result, isWhole) {
  const folder = isWhole ? RESULTS : PARTIAL;
  await mkdir(folder, { recursive: true });
  const file = new URL(fileNameOf(result.section), folder);
  await writeFile(file, `${JSON.stringify(result, null, 2)}\n`);
  return fileURLToPath(file);
}

/** The last whole measurement of each of these sections, where there is one. */
export async function readResults(sections) {
  const texts = await Promise.all(
    sections.map((section) => readFile(new URL(fileNameOf(section), RESULTS), 'utf8').catch(() => undefined)),
  );
  return texts.filter((text) => text !== undefined).map((text) => JSON.parse(text));
}

const fileNameOf = (section) => `${section.replaceAll(' ', '-')}.json`;

/** The machine and the settings of a measurement. */
export async function describeRun(
  { rounds, growthRounds, seconds, workers, players, stored },
  section,
  args,
) {
  return {
    section,
    measuredAt: new Date().toISOString().slice(0, 10),
    commit: await commit(),
    machine: `${cpus().length} cores (${cpus()[0]?.model || process.arch}), Node ${process.version}, ${workers} API workers; generator, service and PostgreSQL on the same cores`,
    settings: { rounds: section === 'growth' ? growthRounds : rounds, seconds, players, stored },
    command: ['npm run bench', ...(args.length > 0 ? ['--', ...args.map(quoted)] : [])].join(' '),
  };
}

const quoted = (text) => (text.includes(' ') ? `"${text}"` : text);

async function commit() {
  try {
    return (await promisify(execFile)('git', ['rev-parse', '--short', 'HEAD'])).stdout.trim();
  } catch {
    return undefined; // not a checkout
  }
}

/** The results of a section as Markdown: how it was measured, then its tables. */
export function formatSection({ measuredAt, commit: version, machine, settings, command, ...report }) {
  const where = `${measuredAt}${version === undefined ? '' : `, commit ${version}`}, ${machine}`;
  return `\`${command}\`: ${settings.rounds} rounds of ${settings.seconds} s. ${where}.\n\n${formatTables(report)}`;
}

/** How many targets are reached, and the names of those that are not. */
export function formatTargets(results) {
  const rows = results.flatMap(({ ratios, limits, growth }) => [...ratios, ...growth, ...limits]);
  const withTarget = rows.filter((row) => isReached(row) !== undefined);
  if (withTarget.length === 0) return 'None of this has a target.';
  const missed = withTarget.filter((row) => !isReached(row));
  const count = `${withTarget.length - missed.length} of ${withTarget.length} targets are reached.`;
  if (missed.length === 0) return count;
  return `${count} Not reached:\n\n${missed.map(describeMissed).join('\n')}`;
}

function describeMissed({ name, target, limit, ratio, last, value, unit }) {
  if (limit !== undefined)
    return `- ${name}: ${value.toFixed(2)} ${unit}, wanted at most ${limit.toFixed(2)}`;
  return `- ${name}: ${(last ?? ratio).toFixed(2)}, wanted at least ${target.toFixed(2)}`;
}
