import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyEvents } from '../../../src/core/events/apply/apply-events.js';
import {
  createMaintenance,
  scheduleFrequently,
  scheduleMaintenance,
} from '../../../src/operations/lifecycle/maintenance.js';
import { updateRetentionDays } from '../../../src/platform/admin-api/tenants.js';
import {
  createMaintenanceMetrics,
  type MaintenanceMetrics,
} from '../../../src/platform/lifecycle/maintenance-metrics.js';
import type { MaintenanceStep } from '../../../src/platform/lifecycle/maintenance-step.js';
import { databaseSteps } from '../../support/database-steps.js';
import {
  adImpressionAt,
  createGameWorld,
  DAY_MS,
  type GameWorld,
  type TestPlayer,
  toRecords,
} from '../../support/game-world.js';

const NOW = Date.now();
const HOUR_MS = 3_600_000;

describe('the schedule of maintenance', () => {
  const PAUSES = { firstMs: 0, firstJitterMs: 0, betweenRunsMs: 20, jitterMs: 0, retryMs: 1 };

  /** The steps that the first runs were asked for, if the runs fail as given. */
  const runsOf = async (failures: string[][], count: number) => {
    const runs: (readonly string[] | 'all')[] = [];
    const enough = deferred<void>();
    const { stop } = scheduleMaintenance(
      {
        run: async (_signal, only) => {
          runs.push(only ?? 'all');
          if (runs.length === count) enough.resolve();
          return failures[runs.length - 1] ?? [];
        },
      },
      PAUSES,
    );
    await enough.promise;
    stop();
    return runs.slice(0, count);
  };

  it('tries failed steps again, at longer and longer intervals, until the next full run', async () => {
    const failing = Array.from({ length: 6 }, () => ['rollups']);
    const again = ['rollups'];
    expect(await runsOf(failing, 7)).toEqual(['all', again, again, again, again, 'all', again]);
  });

  it('waits for the next full run once no step fails', async () => {
    const failures = [['rollups', 'retention'], ['retention'], []];
    expect(await runsOf(failures, 4)).toEqual(['all', ['rollups', 'retention'], ['retention'], 'all']);
  });
});

const FREQUENT = ['breakdowns', 'experiments'];

it('some steps run every few minutes, one run after the other, until they are stopped', async () => {
  const runs: (readonly string[] | undefined)[] = [];
  const enough = deferred<void>();
  let atWork = 0;
  const { stop } = scheduleFrequently(
    {
      run: async (_signal, only) => {
        expect(atWork++).toBe(0);
        runs.push(only);
        await new Promise((resolve) => setTimeout(resolve, 2));
        atWork--;
        if (runs.length === 3) enough.resolve();
        return ['breakdowns'];
      },
    },
    FREQUENT,
    1,
  );
  await enough.promise;
  stop();
  expect(runs.slice(0, 3)).toEqual([FREQUENT, FREQUENT, FREQUENT]);
});

describe('maintenance', () => {
  let world: GameWorld;
  beforeAll(async () => {
    world = await createGameWorld();
  });
  afterAll(() => world.close());

  /** A node, with its log lines and metrics. */
  const createNode = (steps: readonly MaintenanceStep[], giveUpAfterMs?: number) => {
    const lines: Record<string, unknown>[] = [];
    const logger = pino({ level: 'debug' }, { write: (line) => lines.push(JSON.parse(line)) });
    const metrics = createMaintenanceMetrics();
    const maintenance = createMaintenance({
      pool: world.pool,
      logger,
      metrics,
      steps,
      ...(giveUpAfterMs === undefined ? {} : { giveUpAfterMs }),
    });
    const run = (signal = new AbortController().signal) => maintenance.run(signal);
    return { run, metrics, lines };
  };
  const doneStep = (name: string): MaintenanceStep => ({
    name,
    maxMs: HOUR_MS,
    run: async () => ({ outcome: 'done', did: { things: 2 } }),
  });

  it('runs each step, even if former steps failed', async () => {
    const { run, metrics, lines } = createNode([
      {
        name: 'failing',
        maxMs: HOUR_MS,
        run: async ({ connection }) => {
          await connection.query('select nothing from nowhere');
          return { outcome: 'done', did: {} };
        },
      },
      {
        name: 'slow',
        maxMs: 20,
        run: async ({ signal }) => {
          while (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, 5));
          return { outcome: 'done', did: { things: 1 } };
        },
      },
      doneStep('last'),
    ]);
    expect(await run()).toEqual(['failing']);
    expect(await outcomes(metrics)).toEqual({ 'failing failed': 1, 'slow unfinished': 1, 'last done': 1 });
    expect(lines.map(({ step, level, msg, things }) => [step, level, msg, things])).toEqual([
      [
        'failing',
        40,
        'a step of maintenance failed; it is tried again after a minute, then at longer intervals',
        undefined,
      ],
      ['slow', 40, 'a step of maintenance ran out of time; the next run continues', 1],
      ['last', 30, 'a step of maintenance is done', 2],
    ]);
    expect(lines[0]).toMatchObject({ err: { message: expect.stringContaining('nowhere') } });
    expect(await valuesOf(metrics, 'lastSuccess')).toEqual({ last: expect.any(Number) });
    expect(Object.keys(await valuesOf(metrics, 'duration'))).toEqual(['failing', 'slow', 'last']);
  });

  it('does not wait for a step that does not stop, and does not begin it again', async () => {
    const stuck = deferred<void>();
    let begun = 0;
    const hanging: MaintenanceStep = {
      name: 'stuck',
      maxMs: 10,
      run: async () => {
        begun++;
        await stuck.promise;
        return { outcome: 'done', did: {} };
      },
    };
    const { run, metrics, lines } = createNode([hanging, doneStep('last')], 10);
    await run();
    await run();
    expect(await outcomes(metrics)).toEqual({ 'last done': 2 });
    await expect.poll(() => begun).toBe(1);
    expect(lines.map(({ step, level, msg }) => [step, level, msg])).toEqual([
      ['stuck', 50, 'a step of maintenance does not stop; the other steps run without waiting for it'],
      ['last', 30, 'a step of maintenance is done'],
      ['last', 30, 'a step of maintenance is done'],
    ]);
    stuck.resolve();
    await expect.poll(() => outcomes(metrics)).toMatchObject({ 'stuck unfinished': 1 });
    await run();
    await expect.poll(() => begun).toBe(2);
  });

  it('runs a step on one node at a time, and other steps meanwhile', async () => {
    const begun = deferred<void>();
    const released = deferred<void>();
    const long: MaintenanceStep = {
      name: 'long',
      maxMs: HOUR_MS,
      run: async () => {
        begun.resolve();
        await released.promise;
        return { outcome: 'done', did: {} };
      },
    };
    const [one, two] = [createNode([long, doneStep('other')]), createNode([long, doneStep('other')])];
    const running = one.run();
    await begun.promise;
    await two.run();
    expect(await outcomes(two.metrics)).toEqual({ 'long busy': 1, 'other done': 1 });
    released.resolve();
    await running;
    expect(await outcomes(one.metrics)).toEqual({ 'long done': 1, 'other done': 1 });
    await two.run();
    expect(await outcomes(two.metrics)).toMatchObject({ 'long done': 1 });
  });

  it('lets another node run a step after its connection is lost', async () => {
    const killed: MaintenanceStep = {
      name: 'killed',
      maxMs: HOUR_MS,
      run: async ({ connection }) => {
        await connection.query('select pg_terminate_backend(pg_backend_pid())');
        return { outcome: 'done', did: {} };
      },
    };
    const [one, two] = [createNode([killed]), createNode([doneStep('killed')])];
    await one.run();
    expect(await outcomes(one.metrics)).toEqual({ 'killed failed': 1 });
    await two.run();
    expect(await outcomes(two.metrics)).toEqual({ 'killed done': 1 });
  });

  it('logs and counts nothing for steps that the stop of the service interrupted', async () => {
    const stop = new AbortController();
    const cut: MaintenanceStep = {
      name: 'cut',
      maxMs: HOUR_MS,
      run: async () => {
        stop.abort();
        throw new Error('cut off');
      },
    };
    const { run, metrics, lines } = createNode([cut, doneStep('never')]);
    await run(stop.signal);
    expect(lines).toEqual([]);
    expect(await outcomes(metrics)).toEqual({});
  });

  it('deletes events past their retention even if roll-ups cannot be summed', async () => {
    const [player] = (await world.addPlayers(await world.addGame('game'), [NOW - 60 * DAY_MS])) as [
      TestPlayer,
    ];
    const at = NOW - 50 * DAY_MS;
    await applyEvents(world.pool, toRecords(player, [adImpressionAt(at)], at));
    await updateRetentionDays(world.pool, player.gameId, 30);
    await world.pool.query('alter table game_days rename to game_days_away');
    const steps = await databaseSteps(world.pool);
    const { run, metrics, lines } = createNode(steps);
    try {
      await run();
    } finally {
      await world.pool.query('alter table game_days_away rename to game_days');
    }
    expect(await outcomes(metrics)).toEqual({
      'event_partitions done': 1,
      'failed_events done': 1,
      'sessions done': 1,
      'access done': 1,
      'exports done': 1,
      'rollups failed': 1,
      // They read a view, which follows the renamed table.
      'breakdowns done': 1,
      'holdouts done': 1,
      'experiments done': 1,
      'holdout_exposures done': 1,
      'experiment_grades done': 1,
      'segment_sizes done': 1,
      'retention done': 1,
      'segment_stays done': 1,
      'event_identities done': 1,
      'event_compaction done': 1,
    });
    expect(lines).toContainEqual(
      expect.objectContaining({ step: 'retention', level: 30, outcome: 'done', eventsDeleted: 1 }),
    );
    await run();
    expect(await outcomes(metrics)).toMatchObject({ 'rollups done': 1, 'retention done': 2 });
    expect(Object.keys(await valuesOf(metrics, 'lastSuccess')).sort()).toEqual(
      steps.map(({ name }) => name).sort(),
    );
  });
});

function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

async function outcomes({ runs }: MaintenanceMetrics): Promise<Record<string, number>> {
  const { values } = await runs.get();
  return Object.fromEntries(values.map(({ labels, value }) => [`${labels.step} ${labels.outcome}`, value]));
}

async function valuesOf(metrics: MaintenanceMetrics, name: 'lastSuccess' | 'duration') {
  const { values } = await metrics[name].get();
  return Object.fromEntries(values.map(({ labels, value }) => [String(labels.step), value]));
}
