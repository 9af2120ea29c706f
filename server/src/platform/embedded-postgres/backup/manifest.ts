import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileDurably } from '../../lib/durable-file.js';
import { ifExists } from '../errno.js';

export type BackupFile = Readonly<{
  /** From the folder of the backup, with slashes. */
  path: string;
  size: number;
  sha256: string;
}>;

/** What a backup says about itself: `manifest.json`, the file that is written last. */
export type Manifest = Readonly<{
  format: 1;
  postgres: string;
  /** Of the cluster, from initdb on. */
  systemIdentifier: string;
  startSegment: string;
  startLsn: string;
  stopSegment: string;
  stopLsn: string;
  /** By the clock of the database. The backup can be restored to any moment after the second. */
  startedAt: string;
  finishedAt: string;
  /** Of the cluster, from its own folder. Some are empty, and PostgreSQL wants them. */
  folders: readonly string[];
  files: readonly BackupFile[];
}>;

export const MANIFEST_FILE = 'manifest.json';

export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await writeFileDurably(join(folder, MANIFEST_FILE), formatManifest(manifest));
}

/** Undefined if the folder is no backup. */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const text = await ifExists(readFile(join(folder, MANIFEST_FILE), 'utf8'));
  return text === undefined ? undefined : parseManifest(text);
}

export function formatManifest(manifest: Manifest): string {
  return `${JSON.stringify({ ...manifest, digest: digestOf(manifest) }, undefined, 1)}\n`;
}

/** @throws Error if the text was changed since it was written */
export function parseManifest(text: string): Manifest {
  const { digest, ...manifest } = JSON.parse(text) as Manifest & { digest: string };
  if (manifest.format !== 1) throw new Error('it is of a newer Savepoint');
  if (digest !== digestOf(manifest)) throw new Error('its manifest was changed');
  return manifest;
}

function digestOf(manifest: Manifest): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
}
