import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { makeFolder } from '../../platform/lib/durable-file.js';
import { isTemporary, type S3Client, type S3Content, S3Error } from '../../platform/lib/s3/s3-client.js';
import type { FileStore, NewFile } from './file-store.js';

const CHUNK_BYTES = 256 * 1024;

/**
 * Files as objects of a bucket, below `prefix`. A file is written to `folder` first, because a request names the length and the digest of its
 * content before it sends it. The store refuses content that does not agree with them, so an object stands as a whole or not at all.
 *
 * The store is opened for one run. Once it has not responded to the attempts of one call, all later calls fail at once: a run with a hundred
 * files to write must not wait for each of them.
 */
export function createBucketStore(client: S3Client, prefix: string, folder: string): FileStore {
  let away: S3Error | undefined;
  const call = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (away !== undefined) throw away;
    try {
      return await work();
    } catch (error) {
      if (error instanceof S3Error && isTemporary(error)) away = error;
      throw error;
    }
  };
  const put = (name: string, content: S3Content) => call(() => client.put(`${prefix}${name}`, content));
  return {
    list: () =>
      call(async () => {
        const { objects } = await client.list(prefix);
        return new Map(objects.map(({ key, size }) => [key.slice(prefix.length), size]));
      }),
    create: (name) => call(() => newFile(folder, (content) => put(name, content))),
    open: (name) => call(() => client.get(`${prefix}${name}`)),
    async replace(name, content) {
      const bytes = Buffer.from(content);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      await put(name, { size: bytes.length, sha256, open: () => Readable.from([bytes]) });
    },
    remove: (name) => call(() => client.delete(`${prefix}${name}`)),
  };
}

async function newFile(folder: string, send: (content: S3Content) => Promise<void>): Promise<NewFile> {
  await makeFolder(folder);
  const path = join(folder, `${randomUUID()}.unfinished`);
  const file = await open(path, 'wx+', 0o600);
  // It can be read as long as it is open, and nothing is left behind, however the process ends.
  await rm(path);
  const hash = createHash('sha256');
  let size = 0;
  let isOpen = true;
  return {
    async write(bytes) {
      await file.writeFile(bytes);
      hash.update(bytes);
      size += bytes.length;
    },
    async commit() {
      await send({ size, sha256: hash.digest('hex'), open: () => Readable.from(contentOf(file)) });
    },
    async discard() {
      if (!isOpen) return;
      isOpen = false;
      await file.close();
    },
  };
}

/** From the start, also when a request is repeated. */
async function* contentOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield chunk.subarray(0, bytesRead);
  }
}
