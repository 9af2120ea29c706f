// The packages of this repository that the server is made of, besides itself: they know nothing of the service, and are
// bundled into its programs. Bundles and tests read their sources, scripts and measurements their `dist`.
import { fileURLToPath } from 'node:url';

export const WORKSPACES = ['statistics'];

/** The source of each by its name, for bundlers. */
export const WORKSPACE_SOURCES = Object.fromEntries(
  WORKSPACES.map((folder) => [
    `@savepoint/${folder}`,
    fileURLToPath(new URL(`../${folder}/src/index.ts`, import.meta.url)),
  ]),
);
