import { type FileHandle, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { giveToFolderOwner, makeFolder, syncFolder } from '../../platform/lib/durable-file.js';
import { parseObject } from '../../platform/lib/is-object.js';

/**
 * The file with the hashes of erased players, to be kept beside the backups: after a restore of an older backup it says who has been
 * erased since. A line with the sealed key comes before the hashes that were made with it.
 *
 *   {"sealedKey":"AQ…"}
 *   {"gameId":1,"playerHash":"5f…","erasedAt":"2026-11-18T12:00:00.000Z"}
 */
export type ErasedEntry = Readonly<{ gameId: number; playerHash: string; erasedAt: string }>;
export type ErasedSection = { sealedKey: string; entries: ErasedEntry[] };

const HASH = /^[0-9a-f]{64}$/;

/** Empty if there is no file. A line that was cut by a crash is left out. */
export async function readErasedList(file: string): Promise<ErasedSection[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const sections: ErasedSection[] = [];
  for (const line of text.split('\n')) {
    const parsed = parseObject(line);
    if (parsed === undefined) continue;
    if (typeof parsed.sealedKey === 'string') sections.push({ sealedKey: parsed.sealedKey, entries: [] });
    else if (isEntry(parsed)) sections.at(-1)?.entries.push(parsed);
  }
  return sections;
}

function isEntry(value: Record<string, unknown>): value is ErasedEntry & Record<string, unknown> {
  const { gameId, playerHash, erasedAt } = value;
  return (
    Number.isSafeInteger(gameId) &&
    typeof playerHash === 'string' &&
    HASH.test(playerHash) &&
    typeof erasedAt === 'string' &&
    !Number.isNaN(Date.parse(erasedAt))
  );
}

/** Resolves when the entries are on the disk. */
export async function appendToErasedList(
  file: string,
  sealedKey: string,
  entries: readonly ErasedEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  await makeFolder(dirname(file));
  const handle = await openToAppend(file);
  try {
    // The first line break ends a line that a crash has cut.
    const lines = [{ sealedKey }, ...entries].map((line) => `${JSON.stringify(line)}\n`);
    await handle.appendFile(`\n${lines.join('')}`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await syncFolder(dirname(file));
}

/** A new list belongs to the owner of the folder. One that is there may be a link, and whatever that leads to keeps its owner. */
async function openToAppend(file: string): Promise<FileHandle> {
  try {
    const made = await open(file, 'ax', 0o600);
    await giveToFolderOwner(made, dirname(file));
    return made;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return open(file, 'a', 0o600);
  }
}

/** Adds to a list whom another one names besides. Returns how many. */
export async function addErasedList(from: string, to: string): Promise<number> {
  const known = new Set(
    (await readErasedList(to)).flatMap(({ entries }) => entries.map(({ playerHash }) => playerHash)),
  );
  let added = 0;
  for (const { sealedKey, entries } of await readErasedList(from)) {
    const missing = entries.filter(({ playerHash }) => !known.has(playerHash));
    await appendToErasedList(to, sealedKey, missing);
    for (const { playerHash } of missing) known.add(playerHash);
    added += missing.length;
  }
  return added;
}
