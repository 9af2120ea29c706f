import { createHash } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { giveToFolderOwner } from '../../lib/durable-file.js';

const CHUNK_BYTES = 1024 ** 2;
/** Segments are mostly zeros where little was written; a higher level takes more CPU than it saves room. */
const FASTEST = 1;

export type Hashed = Readonly<{ size: number; sha256: string }>;

/** Resolves when the copy is on the disk, unless somebody else sees to that. */
export async function copyHashed(from: string, to: string, { isSynced = true } = {}): Promise<Hashed> {
  const source = await open(from, 'r');
  try {
    const target = await open(to, 'wx', 0o600);
    try {
      await giveToFolderOwner(target, dirname(to));
      const hashed = await readThrough(source, async (chunk) => {
        await target.writeFile(chunk);
      });
      if (isSynced) await target.sync();
      return hashed;
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

export async function hashFile(path: string): Promise<Hashed> {
  const file = await open(path, 'r');
  try {
    return await readThrough(file, async () => {});
  } finally {
    await file.close();
  }
}

/** Resolves when the file is on the disk. */
export async function writeHashed(path: string, content: string | Buffer): Promise<Hashed> {
  const file = await open(path, 'wx', 0o600);
  try {
    await giveToFolderOwner(file, dirname(path));
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  const bytes = Buffer.from(content);
  return { size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** A segment of the log, packed. */
export async function packFile(from: string): Promise<Buffer> {
  return promisify(gzip)(await readFile(from), { level: FASTEST });
}

/** @throws Error if the packed file was changed: gzip has a check sum */
export async function unpackFile(from: string): Promise<Buffer> {
  return promisify(gunzip)(await readFile(from));
}

type Readable = { read(buffer: Buffer): Promise<{ bytesRead: number }> };

async function readThrough(file: Readable, use: (chunk: Buffer) => Promise<void>): Promise<Hashed> {
  const hash = createHash('sha256');
  const buffer = Buffer.alloc(CHUNK_BYTES);
  let size = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer);
    if (bytesRead === 0) return { size, sha256: hash.digest('hex') };
    const chunk = buffer.subarray(0, bytesRead);
    hash.update(chunk);
    size += bytesRead;
    await use(chunk);
  }
}
