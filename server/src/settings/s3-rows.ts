import { optional, type Setting, text } from './setting-kinds.js';

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^[A-Za-z0-9._/-]*$/;

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
  backupS3Bucket: optional('SAVEPOINT_BACKUP_S3_BUCKET', {
    shownFallback: 'backups stay in SAVEPOINT_BACKUP_DIR',
    description: 'bucket to which backups and the log of changes are copied from SAVEPOINT_BACKUP_DIR',
    check: (given) =>
      BUCKET.test(given)
        ? undefined
        : `SAVEPOINT_BACKUP_S3_BUCKET is "${given}": give the name of a bucket, such as my-backups.`,
  }),
  backupS3Prefix: {
    name: 'SAVEPOINT_BACKUP_S3_PREFIX',
    fallback: 'none',
    description: 'folder in that bucket, such as savepoint/eu',
    read(given = '', { report }) {
      if (!PREFIX.test(given))
        report(`SAVEPOINT_BACKUP_S3_PREFIX is "${given}": use letters, digits, dots, dashes and slashes.`);
      const trimmed = given.replaceAll(/^\/+|\/+$/g, '');
      return trimmed === '' ? '' : `${trimmed}/`;
    },
  } satisfies Setting<string>,
} satisfies Record<string, Setting<unknown>>;
