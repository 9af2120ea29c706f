// The licences of the packages that are part of bundles: most ask that their text goes wherever their code goes.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const LICENCE = /^(?:licen[cs]e|notice|copying)\b/i;

/** The text of a file that goes with bundles of these modules. */
export function licencesOf(files) {
  const folders = new Set(files.map(packageFolder).filter((folder) => folder !== undefined));
  const texts = [...folders].map(licenceOf).sort((a, b) => (a < b ? -1 : 1));
  return `The programs in this folder contain code of these ${texts.length} packages.\n\n${texts.join('\n\n')}`;
}

/** …/node_modules/@nats-io/jetstream of …/node_modules/@nats-io/jetstream/lib/mod.js */
function packageFolder(file) {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(file.replace(/^\0/, ''))?.[0];
}

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const texts = readdirSync(folder)
    .filter((file) => LICENCE.test(file))
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  if (texts.length === 0 && typeof license !== 'string') throw new Error(`${name} names no licence.`);
  return [`=== ${name} ${version}, ${license ?? 'see below'}`, ...texts].join('\n\n');
}
