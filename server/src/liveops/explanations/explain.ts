import { documentWork } from '../../core/configs/document-work.js';
import { createPriceHistories } from '../../core/configs/price-histories.js';
import { renderResponses, renderStore, storeEtag, storeText } from '../../core/players/player-responses.js';
import { type FoundModels, findModelsAt } from '../../core/predictions/models-at.js';
import type { AttributeRegistry } from '../../decide/attributes/attribute-registry.js';
import { compilationSteps } from '../../decide/compile/compile-document.js';
import type { SegmentMembership } from '../../decide/compile/compiled-document.js';
import type { LowestPriceBefore } from '../../decide/compile/price-basis.js';
import { decide } from '../../decide/decide/decide.js';
import type { Decision, FlagState, SegmentTrace, Trace } from '../../decide/decide/decision.js';
import type { NearMiss } from '../../decide/rules/near-miss.js';
import type { Pool } from '../../platform/db/pool.js';
import type { Clock } from '../../platform/lib/clock.js';
import type { KeySemaphore } from '../../platform/lib/fair-semaphore.js';
import type { RateTable } from '../../studio/money/exchange-rates.js';
import { findRateTable } from '../../studio/money/rate-queries.js';
import {
  type DocumentOutcome,
  type ExplainedDocument,
  findDocument,
  type WantedVersion,
} from './explained-document.js';
import {
  type ExplainedPlayer,
  type FactsSource,
  findPlayerAt,
  type PlayerOutcome,
} from './explained-player.js';
import { type ExplainedPredictions, explainedPredictions } from './explained-predictions.js';
import { type FactsJson, readFacts, toFactsJson } from './facts-json.js';
import { type NearMisses, nearMissesOf } from './near-misses.js';
import { type Reasons, reasonsOf } from './reasons.js';

export type ExplainDependencies = Readonly<{
  pool: Pool;
  /** See `createRebuildPool`. */
  rebuilds: Pool;
  clock: Clock;
  semaphore: KeySemaphore;
  /** Aborted when the client has disconnected. */
  signal?: AbortSignal;
  /** The attributes of rules; those of the service, if left out. */
  attributes?: AttributeRegistry;
}>;

export type ExplainRequest = Readonly<{
  gameId: number;
  player: Readonly<{ userId: string }> | Readonly<{ hypothetical: unknown }>;
  /** Now, if left out. */
  atMs?: number | undefined;
  version?: WantedVersion;
}>;

/** Why a player got what they got: the facts, the rules, and the decision. */
export type Explanation = Readonly<{
  at: string;
  version: number | 'draft';
  /** Null for the draft, and for a game without a published version. */
  publishedAt: string | null;
  source: FactsSource;
  /** Events before this instant are deleted, so the facts lack them. */
  completeSince: string | null;
  facts: FactsJson;
  decision: Readonly<{
    flags: Readonly<Record<string, FlagState>>;
    /** Including segments that are not visible to clients. */
    segments: readonly SegmentMembership[];
    heldOut: boolean;
    store: unknown;
    /** The store as it is sent, byte by byte, and its ETag. */
    storeText: string;
    storeEtag: string;
    /** By key, including values for servers only. */
    values: Readonly<Record<string, unknown>>;
    /** When the decision next changes with time alone; null: never. */
    validUntil: string | null;
  }>;
  predictions: ExplainedPredictions;
  trace: ExplainedTrace;
  because: Reasons & Readonly<{ predictions: readonly string[] }>;
  /** Parts of the document that could not be used, and rules that failed. */
  problems: readonly Problem[];
}>;

/** The trace, with near misses: segments that the player is not in because of one number. */
export type ExplainedTrace = Omit<Trace, 'segments'> &
  Readonly<{ segments: readonly (SegmentTrace & { nearMiss: NearMiss | null })[] }>;

/** `part`: `segment:whales`, `offer:winter`, `sku:gems`, `predictions`, or `store` for the whole store. */
export type Problem = Readonly<{ part: string; message: string }>;

export type ExplainOutcome =
  | Readonly<{ outcome: 'explained'; explanation: Explanation }>
  | Exclude<PlayerOutcome, { outcome: 'found' }>
  | Exclude<DocumentOutcome, { outcome: 'found' }>
  | Readonly<{ outcome: 'facts_invalid'; message: string }>;

/**
 * Explains what is decided for a player, real or hypothetical, at any instant under any version. The code that serves players
 * decides again, and records a trace.
 */
export async function explain(
  { pool, rebuilds, clock, semaphore, signal, attributes }: ExplainDependencies,
  { gameId, player, atMs: askedFor, version }: ExplainRequest,
): Promise<ExplainOutcome> {
  const nowMs = clock.now();
  const instants = { atMs: askedFor ?? nowMs, nowMs };
  // Before the rebuild, which is expensive.
  const found = await findDocument(pool, gameId, version, instants);
  if (found.outcome !== 'found') return found;
  // For the future, the models in force now are used.
  const models = await findModelsAt(pool, gameId, Math.min(instants.atMs, nowMs));
  const isDraft = typeof version !== 'number' && version !== undefined;
  const { document, publication } = found;
  const given = {
    gameId,
    atMs: instants.atMs,
    isDraft,
    // A draft has reduced nothing yet.
    lowestPriceBefore: isDraft
      ? null
      : await createPriceHistories(pool, documentWork)(gameId, { ...publication, document }),
    attributes,
    models,
    rates: await findRateTable(pool, gameId),
  };
  if ('hypothetical' in player) {
    const read = readFacts(player.hypothetical, instants.atMs, found.document.attributes);
    if (!read.ok) return { outcome: 'facts_invalid', message: read.message };
    return explained(found, { facts: read.facts, source: 'hypothetical', completeSince: null }, given);
  }
  const outcome = await findPlayerAt({ pool, rebuilds, semaphore, signal }, gameId, player.userId, instants, {
    attributes: found.document.attributes ?? [],
    isInForce: version === undefined,
  });
  if (outcome.outcome !== 'found') return outcome;
  return explained(found, outcome.player, given);
}

type ExplainedAs = Readonly<{
  gameId: number;
  atMs: number;
  isDraft: boolean;
  lowestPriceBefore: LowestPriceBefore | null;
  attributes: AttributeRegistry | undefined;
  models: FoundModels;
  rates: RateTable | null;
}>;

async function explained(
  { document, publication }: ExplainedDocument,
  { facts, source, completeSince }: ExplainedPlayer,
  { gameId, atMs, isDraft, lowestPriceBefore, attributes, models: found, rates }: ExplainedAs,
): Promise<ExplainOutcome> {
  const problems: Problem[] = [];
  if (found.problem !== null) problems.push({ part: 'predictions', message: found.problem });
  const onUnusable = (part: string, message: string) => problems.push({ part, message });
  const steps = compilationSteps(document, { ...publication, lowestPriceBefore }, onUnusable, attributes);
  const compiled = await documentWork.run(gameId, steps);
  const decision = decide(compiled, facts, atMs, {
    models: found.models,
    trace: true,
    onError: (part, error) => problems.push({ part, message: (error as Error).message }),
  });
  const { trace } = decision;
  if (trace === null) throw new Error('a traced decision has a trace');
  const { version, publishedAt } = publication;
  const nearMisses = nearMissesOf(document, compiled, { facts, atMs, models: found.models });
  const predictions = explainedPredictions(facts, found, compiled, { atMs, rates });
  const explanation: Explanation = {
    at: new Date(atMs).toISOString(),
    version: isDraft ? 'draft' : version,
    publishedAt: isDraft || version === 0 ? null : new Date(publishedAt).toISOString(),
    source,
    completeSince,
    facts: toFactsJson(facts, { attributes: document.attributes ?? [], atMs }),
    decision: asServed(facts.userId, decision),
    predictions,
    trace: withNearMisses(trace, nearMisses),
    because: {
      ...reasonsOf({ document, facts, at: atMs, trace, nearMisses }),
      predictions: Object.values(predictions.predictions).map(({ sentence }) => sentence),
    },
    problems,
  };
  return { outcome: 'explained', explanation };
}

function withNearMisses(trace: Trace, nearMisses: NearMisses): ExplainedTrace {
  const segments = trace.segments.map((each) => ({
    ...each,
    nearMiss: nearMisses.get(each.segmentId) ?? null,
  }));
  return { ...trace, segments };
}

function asServed(userId: string, decision: Decision): Explanation['decision'] {
  const responses = renderResponses(userId, decision, renderStore(decision.store));
  const text = storeText(responses);
  const { flags, segments, values, heldOut, validUntil } = decision;
  return {
    flags,
    segments,
    heldOut,
    store: JSON.parse(text),
    storeText: text,
    storeEtag: storeEtag(responses),
    values: Object.fromEntries(values.map(({ key, outcome }) => [key, outcome.value])),
    validUntil: Number.isFinite(validUntil) ? new Date(validUntil).toISOString() : null,
  };
}
