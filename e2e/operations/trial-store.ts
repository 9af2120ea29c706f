import type { S3Settings } from '../../server/src/platform/lib/s3/s3-client.js';

/** An S3-compatible store with an empty bucket. */
export type TrialStore = Readonly<{ settings: S3Settings; stop(): Promise<void> }>;
