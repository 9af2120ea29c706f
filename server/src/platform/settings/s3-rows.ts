import { parseMegabytes } from '../lib/megabytes.js';
import { optional, type Setting, text } from './setting-kinds.js';

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^[A-Za-z0-9._/-]*$/;
const CACHE_MB = 10_240;

/** A store that is compatible with S3, and what is kept there. */
export const S3_ROWS = {
  s3Endpoint: optional('SAVEPOINT_S3_ENDPOINT', {
    shownFallback: 'https://s3.<region>.amazonaws.com',
    description: 'address of an S3-compatible store',
    check: (given) =>
      /^https?:\/\//.test(given) && URL.canParse(given)
        ? undefined
        : 'SAVEPOINT_S3_ENDPOINT must be an http or https address, such as https://s3.example.com.',
  }),
  s3Region: text('SAVEPOINT_S3_REGION', {
    fallback: 'us-east-1',
    description: 'region of the store; many stores take any',
  }),
  s3AccessKeyId: optional('SAVEPOINT_S3_ACCESS_KEY_ID', {
    shownFallback: 'none',
    description: 'key of the store',
  }),
  s3SecretAccessKey: optional('SAVEPOINT_S3_SECRET_ACCESS_KEY', {
    shownFallback: 'none',
    description: 'secret of that key',
  }),
  backupS3Bucket: bucket('SAVEPOINT_BACKUP_S3_BUCKET', {
    shownFallback: 'backups stay in SAVEPOINT_BACKUP_DIR',
    description: 'bucket to which backups and the log of changes are copied from SAVEPOINT_BACKUP_DIR',
    example: 'my-backups',
  }),
  backupS3Prefix: prefix('SAVEPOINT_BACKUP_S3_PREFIX', 'folder in that bucket, such as savepoint/eu'),
  eventFilesS3Bucket: bucket('SAVEPOINT_EVENT_FILES_S3_BUCKET', {
    shownFallback: 'files lie in SAVEPOINT_EVENT_FILES_DIR',
    description: 'bucket for the events of closed days as Parquet files; all nodes may have it',
    example: 'my-events',
  }),
  eventFilesS3Prefix: prefix(
    'SAVEPOINT_EVENT_FILES_S3_PREFIX',
    'folder in that bucket, for this installation alone, such as savepoint/eu',
  ),
  eventFilesCacheMb: {
    name: 'SAVEPOINT_EVENT_FILES_CACHE',
    fallback: '10GB',
    description:
      'with a bucket: how much of it may lie in SAVEPOINT_EVENT_FILES_DIR, for up to an hour after a question in SQL, such as 512MB or 50GB',
    read(given, { report }): number {
      const megabytes = given === undefined ? CACHE_MB : parseMegabytes(given);
      if (megabytes !== undefined) return megabytes;
      report(
        `SAVEPOINT_EVENT_FILES_CACHE is "${given}": set it to a size such as 512MB or 50GB, or to 0MB for none.`,
      );
      return CACHE_MB;
    },
  } satisfies Setting<number>,
} satisfies Record<string, Setting<unknown>>;

function bucket(
  name: string,
  { example, ...shown }: { shownFallback: string; description: string; example: string },
): Setting<string | undefined> {
  return optional(name, {
    ...shown,
    check: (given) =>
      BUCKET.test(given)
        ? undefined
        : `${name} is "${given}": give the name of a bucket, such as ${example}.`,
  });
}

/** Ends with a slash, or is empty. */
function prefix(name: string, description: string): Setting<string> {
  return {
    name,
    fallback: 'none',
    description,
    read(given = '', { report }) {
      if (!PREFIX.test(given))
        report(`${name} is "${given}": use letters, digits, dots, dashes and slashes.`);
      const trimmed = given.replaceAll(/^\/+|\/+$/g, '');
      return trimmed === '' ? '' : `${trimmed}/`;
    },
  };
}
