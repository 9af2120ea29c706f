import { type DocumentProblem, placeOf } from '../../decide/validate/document-problems.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { printable } from '../../studio/cli/printable.js';

/** What commands about configuration take, and what they say when it will not do. */

export function parseDocument(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new StartupError(`${file} is not JSON: ${(error as Error).message}`);
  }
}

export function versionNumber(text: string, option = '--config-version'): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new StartupError(`${option} is "${text}": give a number, such as 3.`);
}

export function noSuchVersion(version: string, publishedVersion: number): StartupError {
  return new StartupError(`There is no version ${version}; the one in force is ${publishedVersion}.`);
}

export function unpublishable(what: string, problems: readonly DocumentProblem[]): StartupError {
  return new StartupError(`${what} cannot be published:\n${problems.map(problemLine).join('\n')}`);
}

function problemLine(problem: DocumentProblem): string {
  const { position, message } = problem;
  const inRule = position === null ? '' : `, line ${position.line}, column ${position.column} of the rule`;
  return `  - ${printable(`${placeOf(problem, inRule)}: ${message}`)}`;
}
