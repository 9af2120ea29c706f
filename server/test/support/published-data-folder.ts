import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Public data sets and figures. They are not part of the repository: they are looked for in a
 * folder `shared/data` beside it, or beside a folder that it is in. Without it the tests that need it are skipped, visibly.
 */
export const PUBLISHED_DATA = findFolder();

/** For the names of tests. */
export const NEEDS_PUBLISHED_DATA = PUBLISHED_DATA === undefined ? ' (needs ../shared/data)' : '';

function findFolder(): string | undefined {
  let folder = fileURLToPath(new URL('../../..', import.meta.url));
  for (;;) {
    const parent = dirname(folder);
    if (parent === folder) return undefined;
    const data = join(parent, 'shared', 'data');
    if (existsSync(join(data, 'CDNOW_sample.txt'))) return data;
    folder = parent;
  }
}
