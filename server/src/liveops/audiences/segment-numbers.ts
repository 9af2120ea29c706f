import { documentWork } from '../../core/configs/document-work.js';
import { findCurrentModels } from '../../core/predictions/models-at.js';
import { compilationSteps } from '../../decide/compile/compile-document.js';
import type { CompiledDocument } from '../../decide/compile/compiled-document.js';
import type { ConfigDocument } from '../../decide/document/document.js';
import { type Pool, snapshot } from '../../platform/db/pool.js';
import { chunksOf } from '../../platform/lib/chunks.js';
import { DAY_MS, utcDay } from '../../platform/lib/day.js';
import { findRateTable } from '../../studio/money/rate-queries.js';
import { evaluatePlayer } from '../evaluations/evaluate-player.js';
import { factColumns, MAX_COLUMNS } from '../evaluations/fact-columns.js';
import { factNeeds } from '../evaluations/fact-needs.js';
import { listFactRowsOf } from '../evaluations/player-queries.js';
import { TimeSlice } from '../evaluations/time-slice.js';
import { type GroupNumbers, GroupSums } from './group-sums.js';
import { PORTION_PLAYERS } from './player-samples.js';
import type { PlayerSample } from './sample-queries.js';
import { scaleOf } from './sample-scale.js';
import { listPlayerSums } from './segment-number-queries.js';

export type SegmentNumbers = Readonly<{
  players: number;
  examined: number;
  /** Not all players were drawn: numbers are estimates. */
  isSampled: boolean;
  /** UTC days, both included. */
  from: string;
  to: string;
  all: GroupNumbers;
  /** By segment id; null where the rules ask for more than can be read at once. */
  segments: ReadonlyMap<string, GroupNumbers> | null;
}>;

/** As rules look back. */
const NUMBER_DAYS = 28;

/**
 * What the players who are in each segment now did in the last 28 days. Who was in a segment on a past day is not known: rules,
 * predictions and the clock decide that when it is asked (ADR 0023). Each player of the sample is decided for once, by the
 * functions that decide for players.
 */
export async function countSegmentNumbers(
  pool: Pool,
  gameId: number,
  document: ConfigDocument,
  sample: PlayerSample,
  nowMs: number,
): Promise<SegmentNumbers> {
  const { models } = await findCurrentModels(pool, gameId);
  const steps = compilationSteps(document, { version: 0, publishedAt: 0 });
  const compiled = withoutOffers(await documentWork.run(gameId, steps));
  const columns = factColumns(factNeeds([compiled]), { atMs: nowMs });
  const isReadable = columns.ofPlayer.length + columns.ofDays.length <= MAX_COLUMNS;
  const span = { from: utcDay(nowMs - (NUMBER_DAYS - 1) * DAY_MS), to: utcDay(nowMs) };
  const rates = await findRateTable(pool, gameId);
  const all = new GroupSums(rates);
  const sums = new Map(document.segments.map(({ segmentId }) => [segmentId, new GroupSums(rates)]));
  const timeSlice = new TimeSlice(() => performance.now());
  const { ids } = sample;
  await snapshot(pool, async (client) => {
    for (const portion of chunksOf(ids, PORTION_PLAYERS)) {
      const found = await listPlayerSums(client, gameId, portion, span, rates?.changeDays);
      for (const player of found) all.add(player);
      if (!isReadable) continue;
      const byUserId = new Map(found.map((player) => [player.userId, player]));
      for (const row of await listFactRowsOf(client, gameId, columns, portion)) {
        const facts = columns.toFacts(row);
        // A rule that fails for a player is not true of them; `explain` tells why.
        const { segments } = evaluatePlayer(compiled, facts, nowMs, models, () => {});
        const player = byUserId.get(facts.userId);
        if (player !== undefined) for (const segmentId of segments) sums.get(segmentId)?.add(player);
        if (timeSlice.isOver) await timeSlice.giveWay();
      }
    }
  });
  const { scale, ...counted } = scaleOf(sample, all.players);
  return {
    ...counted,
    ...span,
    all: all.numbers(scale),
    segments: isReadable ? new Map([...sums].map(([id, group]) => [id, group.numbers(scale)])) : null,
  };
}

/** What only offers ask for is not read. */
function withoutOffers(document: CompiledDocument): CompiledDocument {
  return { ...document, offers: [] };
}
