// `npm start`: builds what changed and runs the service in development, as one process that signals reach directly.
import { client } from './build-client.mjs';
import { consolePages } from './build-console.mjs';
import { buildParts } from './build-parts.mjs';
import { programs } from './build-server.mjs';

const failed = await buildParts([programs, consolePages, client], { say: console.log });
if (failed.has(programs.name)) process.exit(1);
// Without a console the service still serves players, and the address of the console says what to do.
if (failed.has(consolePages.name)) console.log('Starting without the console.');
// `savepoint simulate` needs the simulator, and the console offers the client for download.
if (failed.has(client.name)) console.log('Starting without the client and the simulator.');

// npm passes SIGINT and SIGTERM on. When npm is killed, or ended by SIGHUP, nothing says so.
if (process.env.npm_lifecycle_event !== undefined) endWith(process.ppid);

process.env.SAVEPOINT_ENV ??= 'development';
process.argv.splice(2, process.argv.length, 'start', ...process.argv.slice(2));
await import('../server/bin/savepoint.mjs');

/** Stops the service in order once this is no longer the child of `parent`. */
function endWith(parent) {
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 1_000);
  watch.unref();
}
