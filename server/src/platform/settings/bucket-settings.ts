export type BucketSettings = Readonly<{
  endpoint: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  bucket: string;
  /** Ends with a slash, or is empty. */
  prefix: string;
}>;

export type EventFilesSettings = Readonly<{
  /** The files lie here; with a bucket, only what is on its way to it, and copies for questions. */
  dir: string;
  bucket: BucketSettings | undefined;
  /** How much of the bucket may lie in the folder. */
  cacheMb: number;
}>;

/** The store that all buckets lie in. */
type StoreValues = Readonly<{
  s3Endpoint: string | undefined;
  s3Region: string;
  s3AccessKeyId: string | undefined;
  s3SecretAccessKey: string | undefined;
}>;

/** A sentence, if settings are missing that a bucket needs: the key of the store, and its own, by their names. */
export function missingForBucket(
  name: string,
  own: Readonly<Record<string, string | undefined>>,
  { s3AccessKeyId, s3SecretAccessKey }: StoreValues,
): readonly string[] {
  const needed = {
    ...own,
    SAVEPOINT_S3_ACCESS_KEY_ID: s3AccessKeyId,
    SAVEPOINT_S3_SECRET_ACCESS_KEY: s3SecretAccessKey,
  };
  const missing = Object.entries(needed).flatMap(([setting, value]) => (value === undefined ? setting : []));
  return missing.length === 0 ? [] : [`${name} needs ${missing.join(' and ')}.`];
}

export function bucketOf(
  { s3Endpoint, s3Region, s3AccessKeyId = '', s3SecretAccessKey = '' }: StoreValues,
  bucket: string | undefined,
  prefix: string,
): BucketSettings | undefined {
  if (bucket === undefined) return undefined;
  return Object.freeze({
    endpoint: s3Endpoint ?? `https://s3.${s3Region}.amazonaws.com`,
    region: s3Region,
    accessKeyId: s3AccessKeyId,
    secretAccessKey: s3SecretAccessKey,
    bucket,
    prefix,
  });
}
