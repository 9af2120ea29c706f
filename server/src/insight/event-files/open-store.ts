import { createS3Client } from '../../platform/lib/s3/s3-client.js';
import type { EventFilesSettings } from '../../platform/settings/bucket-settings.js';
import { createBucketStore } from './bucket-store.js';
import type { FileStore } from './file-store.js';
import { createFolderStore } from './folder-store.js';

/** Where the settings say. `now`: see `createS3Client`. The calls of a bucket end with the signal. */
export function openFileStore(
  { dir, bucket }: EventFilesSettings,
  now: () => number,
  signal?: AbortSignal,
): FileStore {
  if (bucket === undefined) return createFolderStore(dir);
  const { prefix, ...settings } = bucket;
  const client = createS3Client(settings, now);
  return createBucketStore(signal === undefined ? client : client.until(signal), prefix, dir);
}

/** For people. */
export function nameOfPlace({ dir, bucket }: EventFilesSettings): string {
  return bucket === undefined ? dir : `the bucket ${bucket.bucket}/${bucket.prefix}`;
}
