import { documentWork } from '../../core/configs/document-work.js';
import { findCurrentModels } from '../../core/predictions/models-at.js';
import { compilationSteps } from '../../decide/compile/compile-document.js';
import { scopeOf } from '../../decide/compile/compile-flags-and-segments.js';
import type { ConfigDocument } from '../../decide/document/document.js';
import { DEFAULT_STUDIO_ZONE } from '../../decide/document/parts/calendar.js';
import { nearMissOf } from '../../decide/rules/near-miss.js';
import { compileSchedule } from '../../decide/schedules/windows.js';
import { type Pool, snapshot } from '../../platform/db/pool.js';
import { chunksOf } from '../../platform/lib/chunks.js';
import { parseEventTimestamp } from '../../platform/lib/iso-time.js';
import { findRateTable } from '../../studio/money/rate-queries.js';
import { evaluateWithAttributes } from '../evaluations/evaluate-player.js';
import { factColumns, MAX_COLUMNS } from '../evaluations/fact-columns.js';
import { factNeeds } from '../evaluations/fact-needs.js';
import { listFactRowsOf } from '../evaluations/player-queries.js';
import { TimeSlice } from '../evaluations/time-slice.js';
import {
  boundNotes,
  findMissingAttributes,
  MAX_EVENTS_PER_PLAYER,
} from '../own-attributes/missing-attributes.js';
import type { AskedPart } from './asked-part.js';
import { AudienceCount, type CountedAudience } from './audience-count.js';
import { type AudiencePart, neededParts } from './needed-parts.js';
import { PORTION_PLAYERS, thinToWeight } from './player-samples.js';
import type { PlayerSample } from './sample-queries.js';

export type AudienceQuestion = Readonly<{
  gameId: number;
  document: ConfigDocument;
  part: AudiencePart;
  /** The rule of the part; null: everybody. Undefined where it does not decide alone who enters. */
  rule: string | null | undefined;
  nowMs: number;
  /** The instant to evaluate for: now, or later. */
  atMs: number;
  /** Of players whose own attributes have to be worked out. Tests replace it. */
  maxFoldedEvents?: number;
  /** Aborted when the client has disconnected. */
  signal: AbortSignal;
}>;

export type AudienceOutcome =
  /** `notes`: sentences about bounds that were reached. */
  | Readonly<{ outcome: 'counted'; counted: CountedAudience; notes: readonly string[] }>
  | Readonly<{ outcome: 'interrupted' }>
  /** The rules use more different facts about a player than can be read at once. */
  | Readonly<{ outcome: 'too_many_facts' }>;

/** Events from which missing own attributes are worked out: a few seconds. A rule that is being typed is counted again and again. */
const MAX_FOLDED_EVENTS = 500_000;

/**
 * Counts the players of a sample that an offer, a segment or a rule of a value of a document would reach. Each player is evaluated by the functions
 * that also serve players.
 */
export async function countAudience(
  pool: Pool,
  drawn: PlayerSample,
  {
    gameId,
    document,
    part,
    rule,
    nowMs,
    atMs,
    signal,
    maxFoldedEvents: maxEvents = MAX_FOLDED_EVENTS,
  }: AudienceQuestion,
): Promise<AudienceOutcome> {
  const { models } = await findCurrentModels(pool, gameId);
  const steps = compilationSteps(document, { version: 0, publishedAt: 0 });
  const needed = neededParts(await documentWork.run(gameId, steps), part);
  const rates = await findRateTable(pool, gameId);
  const needs = factNeeds([needed]);
  const columns = factColumns(needs, { atMs, nowMs, rates });
  if (columns.ofPlayer.length + columns.ofDays.length > MAX_COLUMNS) return { outcome: 'too_many_facts' };
  const nearMiss = nearMissOf(rule ?? 'true', scopeOf(document, needed.attributes));
  const count = new AudienceCount();
  const timeSlice = new TimeSlice(() => performance.now());
  return snapshot(pool, async (client) => {
    const missing = await findMissingAttributes(client, gameId, [document], needs.own);
    const events = await missing?.eventsOf(client, drawn.ids);
    const folded = new Map([...(events ?? [])].filter(([, count]) => count <= MAX_EVENTS_PER_PLAYER));
    const sample = thinToWeight(drawn, folded, maxEvents);
    const { ids } = sample;
    for (const portion of chunksOf(ids, PORTION_PLAYERS)) {
      if (signal.aborted) return { outcome: 'interrupted' };
      const players = (await listFactRowsOf(client, gameId, columns, portion)).map(columns.toFacts);
      if (events !== undefined) await missing?.workOut(client, players, events, signal);
      if (signal.aborted) return { outcome: 'interrupted' };
      for (const facts of players) {
        // A rule that fails for a player counts as false; `explain` shows the error.
        const { evaluation, attributes } = evaluateWithAttributes(needed, facts, atMs, models, () => {});
        const isInside = evaluation[`${part.kind}s`].has(part.id);
        count.add(facts, isInside, isInside ? null : nearMiss(attributes));
        if (timeSlice.isOver) await timeSlice.giveWay();
      }
    }
    const bounds = { examined: ids.length, asked: drawn.ids.length, maxEvents };
    return {
      outcome: 'counted',
      counted: count.result(sample),
      notes: missing === null ? [] : boundNotes(missing, bounds),
    };
  });
}

/** When the part begins, or its next window opens, if that is later than now; otherwise now. Before its beginning, an offer reaches nobody. */
export function audienceInstant(
  { calendar }: ConfigDocument,
  { from, schedule }: AskedPart['when'],
  nowMs: number,
): number {
  const begin = Math.max(nowMs, (from === null ? undefined : parseEventTimestamp(from)?.epochMs) ?? nowMs);
  if (schedule === undefined) return begin;
  const studioZone = calendar?.studioZone ?? DEFAULT_STUDIO_ZONE;
  const { zone, stateAt } = compileSchedule(schedule, studioZone);
  const { window, until } = stateAt(begin, zone ?? studioZone);
  return window === null && Number.isFinite(until) ? until : begin;
}
