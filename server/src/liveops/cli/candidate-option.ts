import type { Command } from 'commander';
import type { ConfigDocument } from '../../decide/document/document.js';
import type { Pool } from '../../platform/db/pool.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { readGivenFile } from '../../studio/cli/given-file.js';
import { findCandidate } from '../evaluations/candidate.js';
import { noSuchVersion, parseDocument, unpublishable, versionNumber } from './config-input.js';

/** Which document a dry run or a back-test tries. */
export type CandidateOptions = { file?: string; configVersion?: string };

export function withCandidate(command: Command): Command {
  return command
    .option('--file <path>', 'the document, JSON (default: the draft)')
    .option('--config-version <number>', 'an older version instead');
}

/** The document that a command is about. */
export async function candidateOf(
  pool: Pool,
  gameId: number,
  publishedVersion: number,
  { file, configVersion }: CandidateOptions,
): Promise<ConfigDocument> {
  if (file !== undefined && configVersion !== undefined) {
    throw new StartupError('Give --file or --config-version, not both.');
  }
  const document = file === undefined ? undefined : parseDocument(file, await readGivenFile(file));
  const version = configVersion === undefined ? undefined : versionNumber(configVersion);
  const found = await findCandidate(pool, gameId, { document, version });
  switch (found.outcome) {
    case 'found':
      return found.document;
    case 'invalid':
      throw unpublishable(
        file ?? (version === undefined ? 'The draft' : `Version ${version}`),
        found.problems,
      );
    case 'no_such_version':
      throw noSuchVersion(configVersion ?? '', publishedVersion);
  }
}

export function sampleSize(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new StartupError(`--sample is "${text}": give a number of players, such as 100000.`);
}
