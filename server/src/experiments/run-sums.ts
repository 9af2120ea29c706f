import { metricsOf } from '../decide/document/parts/experiment-metrics.js';
import type { ExperimentEntry } from '../decide/document/parts/experiments.js';
import { TimeSlice } from '../liveops/evaluations/time-slice.js';
import type { DedicatedConnection } from '../platform/db/dedicated-connection.js';
import { dayNumber } from '../platform/lib/day.js';
import type { RateTable } from '../studio/money/exchange-rates.js';
import { type ExposedRun, type Exposure, listExposures, type RunKey } from './exposure-queries.js';
import { type FigureNeeds, figureNeeds } from './figure-needs.js';
import { findHistories } from './figure-queries.js';
import { type ExperimentSums, GrowingSums, keyedMetrics } from './report/experiment-sums.js';
import { figuresOf, type PlayerHistory } from './report/player-history.js';

/** A run with its experiment as it is published. */
export type PublishedRun = RunKey & Readonly<{ experiment: ExperimentEntry }>;

/** What is read of some players. */
export type ReadPlayers = Readonly<{
  exposures: readonly Exposure[];
  histories: ReadonlyMap<number, PlayerHistory>;
}>;

/** The sums of some runs of a game up to the end of `to`. A player who is added is added to all of them. */
export class RunSums {
  readonly #runs: readonly ExposedRun[];
  readonly #growing: readonly GrowingSums[];
  readonly #needs: FigureNeeds;
  readonly #to: string;

  constructor(
    runs: readonly PublishedRun[],
    {
      to,
      rates,
      sums,
    }: { to: string; rates: RateTable | null; sums?: readonly ExperimentSums[] | undefined },
  ) {
    this.#runs = runs.map((run) => ({ ...run, isActivated: run.experiment.activation !== undefined }));
    this.#growing = runs.map(
      ({ experiment }, run) => new GrowingSums(keyedMetrics(experiment.metrics), rates, sums?.[run]),
    );
    this.#needs = figureNeeds(runs.flatMap(({ experiment }) => metricsOf(experiment.metrics)));
    this.#to = to;
  }

  /** In the order of the runs. */
  get sums(): ExperimentSums[] {
    return this.#growing.map(({ sums }) => sums);
  }

  /** `reseeded`: see `listReseeded`. */
  async read(
    connection: DedicatedConnection,
    playerIds: readonly number[],
    reseeded: readonly number[],
  ): Promise<ReadPlayers> {
    const exposures = await listExposures(connection, playerIds, this.#runs, { to: this.#to, reseeded });
    return { exposures, histories: await findHistories(connection, exposures, this.#to, this.#needs) };
  }

  /** Lets other work run meanwhile, and looks at no signal: a player who is added to some of the runs only would be added twice by the next walk. */
  async add({ exposures, histories }: ReadPlayers): Promise<void> {
    const last = dayNumber(this.#to);
    const timeSlice = new TimeSlice(() => performance.now());
    for (const exposure of exposures) {
      const { playerId, run, variantId, sawTwoArms } = exposure;
      const history = histories.get(playerId);
      if (history === undefined) continue;
      const figures = figuresOf(history, exposure, last, this.#needs.retentionDays);
      this.#growing[run]?.add({ variantId, sawTwoArms, figures });
      if (timeSlice.isOver) await timeSlice.giveWay();
    }
  }
}
