import type { AddressInfo } from 'node:net';
import { createContext } from '../context.js';
import { buildPlayerApp } from '../player-app.js';
import type { RunningChild, StartOptions } from './child.js';
import { respond } from './questions.js';
import { sharedPort } from './shared-port.js';
import { reachesDatabase } from './workers-reach.js';

/** One API process. */
export async function startWorker(options: StartOptions): Promise<RunningChild> {
  const { settings, onStep } = options;
  onStep('read the database');
  const ctx = await createContext(options);
  onStep('build its routes');
  const app = await buildPlayerApp(ctx);
  respond(process, 'metrics', () => ctx.metrics.registry.getMetricsAsJSON());
  respond(process, 'reach', () => reachesDatabase(ctx.pool));
  onStep('listen');
  await app.listen(sharedPort(settings.host, settings.port));
  return {
    port: (app.server.address() as AddressInfo).port,
    async close() {
      await app.close();
      await ctx.dispose();
    },
  };
}
