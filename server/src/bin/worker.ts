import type { AddressInfo } from 'node:net';
import { AggregatorRegistry } from 'prom-client';
import { createContext } from '../app/context.js';
import { buildPlayerApp } from '../app/player-app.js';
import { parseMasterKeys, UnsealError } from '../security/master-keys.js';
import { readSettings } from '../settings/settings.js';
import { createLogger } from '../telemetry/logger.js';
import { sharedPort } from './shared-port.js';

/** One API process; the primary starts, replaces and stops it. */
async function runWorker(): Promise<void> {
  const read = readSettings(process.env, { tty: false });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const { settings } = read;
  const keys = parseMasterKeys(settings.masterKey ?? '');
  if (!keys.ok || settings.databaseUrl === undefined) {
    throw new Error('a worker is started by `savepoint start`, not by hand');
  }

  const logger = createLogger(settings);
  const ctx = await createContext({
    settings,
    databaseUrl: settings.databaseUrl,
    masterKeys: keys.keys,
    logger,
  });
  const app = await buildPlayerApp(ctx);
  AggregatorRegistry.setRegistries(ctx.metrics.registry);
  new AggregatorRegistry();

  // Ctrl-C reaches the whole process group; the primary decides when a worker stops.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => {});
  process.on('SIGHUP', () => {});
  process.on('message', (message: { type?: string }) => {
    if (message.type !== 'stop') return;
    app
      .close()
      .then(() => ctx.dispose())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          logger.error({ err: error }, 'an API worker could not be stopped cleanly');
          process.exit(1);
        },
      );
  });
  await app.listen(sharedPort(settings.host, settings.port));
  const { port } = app.server.address() as AddressInfo;
  process.send?.({ type: 'listening', port });
}

await runWorker().catch((error: unknown) => {
  // The master key was rotated, and the running service does not have the new one. The sentence says so; a stack trace would
  // not.
  if (!(error instanceof UnsealError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
