import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { S3Content, S3Settings } from '../../server/src/lib/s3/s3-client.js';

/** An S3-compatible store with an empty bucket. */
export type TrialStore = Readonly<{ settings: S3Settings; stop(): Promise<void> }>;

export const contentOf = (text: string): S3Content => ({
  size: Buffer.byteLength(text),
  sha256: createHash('sha256').update(text).digest('hex'),
  open: () => Readable.from([Buffer.from(text)]),
});
