// `npm run build`: all that scripts, tests and packages need. Does nothing if nothing has changed.
import { client, conformance } from './build-client.mjs';
import { consolePages } from './build-console.mjs';
import { buildParts } from './build-parts.mjs';
import { modules, programs } from './build-server.mjs';

// The conformance suite is compiled against the client that the first step builds.
for (const parts of [[programs, modules, consolePages, client], [conformance]]) {
  const failed = await buildParts(parts, { say: console.log });
  if (failed.size > 0) process.exit(1);
}
