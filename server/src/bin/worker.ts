import { AggregatorRegistry } from 'prom-client';
import { createContext } from '../app/context.js';
import { buildPlayerApp } from '../app/player-app.js';
import { parseMasterKeys, UnsealError } from '../security/master-keys.js';
import { readConfig } from '../settings/settings.js';
import { createLogger } from '../telemetry/logger.js';
import { takeTurns } from './connection-turns.js';

/** One API process; the primary starts, replaces and stops it. */
async function runWorker(): Promise<void> {
  const read = readConfig(process.env, { tty: process.env.SAVEPOINT_LOG_PRETTY === 'on' });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const { config } = read;
  const keys = parseMasterKeys(config.masterKey ?? '');
  if (!keys.ok || config.databaseUrl === undefined) {
    throw new Error('a worker is started by `savepoint start`, not by hand');
  }

  const logger = createLogger(config);
  const ctx = await createContext({ config, databaseUrl: config.databaseUrl, masterKeys: keys.keys, logger });
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
          logger.error({ err: error }, 'stopping a worker failed');
          process.exit(1);
        },
      );
  });
  takeTurns(app.server, ctx.shedding.lagMs);
  await app.listen({ host: config.host, port: config.port });
}

await runWorker().catch((error: unknown) => {
  // The master key was rotated under a running service that does not have the new one. A sentence says that, a stack does not.
  if (!(error instanceof UnsealError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
