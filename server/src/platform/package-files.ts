import { existsSync } from 'node:fs';

/**
 * Where the package `@savepoint/server` is. This file is bundled into each program, so its own place is one of `src/platform`,
 * `dist/platform` and `dist/programs`: all of them are two folders below the package.
 */
const PACKAGE = new URL('../../', import.meta.url);

export function inPackage(path: string): URL {
  return new URL(path, PACKAGE);
}

/** The published package has the folder inside it; in the repository the folder is beside the package. */
export function publishedFolder(name: string, inRepository: string): URL {
  const published = inPackage(`${name}/`);
  return existsSync(published) ? published : inPackage(`../${inRepository}/`);
}

/** A program of `src/app/bin` as `npm run build` bundles it: processes and threads run nothing else (ADR 0076). */
export function programFile(
  name: 'boot-worker' | 'boot-operations' | 'event-files-thread' | 'predictions-thread' | 'sql-child',
): URL {
  return inPackage(`dist/programs/${name}.js`);
}
