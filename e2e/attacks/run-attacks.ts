import { startService, temporaryFolder } from '../support/service.js';
import type { Attack, Battlefield } from './attacks.js';
import { type Honest, watchHonest } from './honest-requests.js';
import { createStudio, DEMO } from './studio.js';

export type AttackResult = Readonly<{
  name: string;
  /** What the attack reached, one sentence each. */
  harm: readonly string[];
  /** Requests of the honest studio that were not answered with 200. */
  refused: readonly string[];
  requests: number;
  slowestMs: number;
  mayWaitFor: number | undefined;
}>;

/** Runs the attacks one after the other against one service, and asks for the honest studio all the while. */
export async function runAttacks(
  attacks: readonly Attack[],
  say: (line: string) => void,
): Promise<AttackResult[]> {
  const settings = { SAVEPOINT_DATA_DIR: await temporaryFolder(), SAVEPOINT_WORKERS: '2' };
  const service = await startService(settings);
  const environment = { ...settings, SAVEPOINT_ENV: 'development' };
  const field: Battlefield = {
    service,
    settings: environment,
    honest: await createStudio(service, environment, DEMO),
    hostile: await createStudio(service, environment, { tenant: 'hostile-studio', game: 'hostile-game' }),
  };
  const results: AttackResult[] = [];
  for (const attack of attacks) {
    const honest: Honest = watchHonest(service, field.honest);
    const harm = await attack.run(field);
    const { refused, requests, slowestMs } = await honest.stop();
    const result = { name: attack.name, harm, refused, requests, slowestMs, mayWaitFor: attack.mayWaitFor };
    results.push(result);
    say(
      `${attack.name}: ${harm.length === 0 ? 'no harm' : harm.join(' ')} ` +
        `(${requests} honest requests, ${refused.length} refused, slowest ${Math.round(slowestMs)} ms)`,
    );
    for (const line of refused.slice(0, 5)) say(`  ${line}`);
  }
  await service.interrupt();
  return results;
}
