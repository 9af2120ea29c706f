import type { Logger } from 'pino';
import { blankFacts } from '../../decide/attributes/blank-facts.js';
import type { PlayerFacts } from '../../decide/attributes/player-facts.js';
import type { CompiledDocument, SegmentMembership } from '../../decide/compile/compiled-document.js';
import { decisionSteps } from '../../decide/decide/decide.js';
import type { DecidedArm, StayChange } from '../../decide/decide/decision.js';
import type { Clock } from '../../platform/lib/clock.js';
import type { SliceQueue } from '../../platform/lib/slice-queue.js';
import { runSteps, type Steps } from '../../platform/lib/steps.js';
import type { VersionSnapshots } from '../../platform/lib/version-snapshots.js';
import type { Metrics } from '../../platform/telemetry/metrics.js';
import type { ConfigSnapshots } from '../configs/config-snapshots.js';
import { documentWork } from '../configs/document-work.js';
import type { ArmsStored, ExperimentExposures } from './experiment-exposures.js';
import { createExposureForecasts, type VersionedModels } from './exposure-forecast.js';
import { segmentsAtExposure } from './exposure-segments.js';
import type { FactReadings } from './fact-readings.js';
import { type PlayerResponses, renderResponses } from './player-responses.js';
import type { PlayerRow } from './player-row.js';
import { createResponseCache } from './response-cache.js';
import type { SegmentStays } from './segment-stays.js';

/**
 * What a player is told: a pure function of the facts, the published configuration and the time, so it is decided once and
 * cached until one of the three changes. Where rules use predictions, the models in force are the fourth input. Every request
 * reads the versions of the row, of the configuration and of the models in a query that it makes anyway, and a decision says
 * until when it holds, so nothing has to be invalidated.
 */
export type Decisions = {
  responsesFor(player: PlayerRow): PlayerResponses | Promise<PlayerResponses>;
};

export type DecisionsOptions = {
  readings: FactReadings;
  gameConfigs: ConfigSnapshots;
  models: VersionSnapshots<VersionedModels>;
  stays: SegmentStays;
  exposures: ExperimentExposures;
  clock: Clock;
  metrics: Metrics;
  logger: Logger;
  /** Where decisions about large stores are made. */
  slices?: SliceQueue;
};

/** A player, and what the responses of one are derived from. */
type Versions = Pick<
  PlayerRow,
  'playerId' | 'gameId' | 'rowVersion' | 'configVersion' | 'predictionsVersion'
>;

/** What is decided about. */
type Subject = Readonly<{
  player: Versions;
  facts: PlayerFacts;
  document: CompiledDocument;
  /** Another node had told the player another arm in the meantime. */
  isSecondTry: boolean;
}>;

/** A decision that a player is about to be told. */
type Told = Subject & Readonly<{ segments: readonly SegmentMembership[]; atMs: number }>;

const CACHE_BYTES = 24 * 1024 * 1024;
/**
 * The version of a row is PostgreSQL's number of the transaction that wrote it. After a failover that lost transactions a
 * number may occur twice; this bounds how long that could matter.
 */
const MAX_AGE_MS = 60_000;
/**
 * Stores of this size are decided and rendered in about half a millisecond, those of the largest documents in ten. After a publication all
 * players of a game are decided anew, so decisions about larger stores are made in slices.
 */
const LARGE_STORE = 500;

export function createDecisions({
  readings,
  gameConfigs,
  models,
  stays,
  exposures,
  clock,
  metrics,
  logger,
  slices = documentWork,
}: DecisionsOptions): Decisions {
  const cache = createResponseCache(CACHE_BYTES);
  const errors = createErrorReport(metrics, logger);
  const forecasts = createExposureForecasts(models, logger);

  /** What is still true of a player whose row has these versions. */
  const findKnown = (player: Versions): PlayerResponses | undefined => {
    const known = cache.get(player.playerId);
    return known !== undefined &&
      known.rowVersion === player.rowVersion &&
      known.configVersion === player.configVersion &&
      (known.predictionsVersion === null || known.predictionsVersion === player.predictionsVersion) &&
      isFresh(known, clock.now())
      ? known.responses
      : undefined;
  };

  function* work(
    subject: Subject,
    inForce: VersionedModels | undefined,
  ): Steps<PlayerResponses | Promise<PlayerResponses>> {
    const { player, facts, document } = subject;
    const { playerId, gameId, rowVersion } = player;
    // A client asks for its status, segments and store together. The first of the three requests that waited here has decided for all.
    const known = findKnown(player);
    if (known !== undefined) return known;
    const decidedAt = clock.now();
    const onError = (part: string, error: unknown) => errors(gameId, document.version, part, error);
    const decision = yield* decisionSteps(document, facts, decidedAt, { models: inForce, onError });
    const responses = renderResponses(facts.userId, decision, yield* cache.share(decision.store));
    const remember = (): PlayerResponses => {
      cache.set(playerId, {
        rowVersion,
        configVersion: document.version,
        decidedAt,
        responses,
        predictionsVersion: inForce?.version ?? null,
      });
      return responses;
    };
    const { stayChanges } = decision;
    const arms = [...decision.arms, ...decision.holdouts].filter(
      ({ isStored, isPinned }) => !isStored && !isPinned,
    );
    if (stayChanges.length === 0 && arms.length === 0) return remember();
    const told = { ...subject, segments: decision.segments, atMs: decidedAt };
    return store(told, stayChanges, arms).then((outcome) => {
      if (outcome === 'told otherwise') return read(player, true);
      return outcome === 'current' ? remember() : responses;
    });
  }

  /**
   * Stored, then told: else a player could be told to be inside, and a moment later that they never were. Only what is current can be
   * remembered. Stored stays make another version of the row, so there is nothing to remember; what could not be stored of them is
   * remembered, or each request would try again. Arms that could not be stored are not: the next response stores them. If another arm
   * was stored first, it is decided once more, with that one.
   */
  const store = async (
    told: Told,
    changes: readonly StayChange[],
    arms: readonly DecidedArm[],
  ): Promise<'current' | 'outdated' | 'told otherwise'> => {
    const { atMs, isSecondTry } = told;
    const { playerId } = told.player;
    const [areStaysStored, armsStored] = await Promise.all([
      changes.length > 0 && stays.store({ playerId, atMs, changes }),
      arms.length === 0 ? 'as told' : storeArms(told, arms),
    ]);
    // Once: an arm that the experiment no longer has is stored, too, and cannot be told.
    if (armsStored === 'otherwise' && !isSecondTry) return 'told otherwise';
    return armsStored !== 'not stored' && !areStaysStored ? 'current' : 'outdated';
  };

  const storeArms = async (told: Told, arms: readonly DecidedArm[]): Promise<ArmsStored> => {
    const { player, document, atMs } = told;
    const segments = segmentsAtExposure(document, told.segments);
    const forecast = await forecasts(told);
    return exposures.store({ playerId: player.playerId, atMs, arms, forecast, segments });
  };

  const workInSlices = (
    subject: Subject,
    inForce: VersionedModels | undefined,
  ): PlayerResponses | Promise<PlayerResponses> => {
    const steps = work(subject, inForce);
    const { document, player } = subject;
    return document.storeSize < LARGE_STORE ? runSteps(steps) : slices.run(player.gameId, steps);
  };

  /** Models are loaded only where a rule uses a prediction. */
  const workWith = (subject: Subject): PlayerResponses | Promise<PlayerResponses> => {
    const { player, document } = subject;
    if (!document.usesPredictions) return workInSlices(subject, undefined);
    const inForce = models.get(player.gameId, player.predictionsVersion);
    if (inForce instanceof Promise) return inForce.then((loaded) => workInSlices(subject, loaded));
    return workInSlices(subject, inForce);
  };

  const read = async ({ playerId }: Versions, isSecondTry = false): Promise<PlayerResponses> => {
    const reading = await readings.of(playerId);
    const document = await gameConfigs.get(reading.gameId, reading.configVersion);
    return workWith({ player: reading, facts: reading.facts, document, isSecondTry });
  };

  return {
    responsesFor(player) {
      const known = findKnown(player);
      if (known !== undefined) return known;
      if (player.blankSince === null) return read(player);
      const facts = blankFacts(player.userId, player.blankSince);
      const decide = (document: CompiledDocument) =>
        workWith({ player, facts, document, isSecondTry: false });
      const document = gameConfigs.get(player.gameId, player.configVersion);
      return document instanceof Promise ? document.then(decide) : decide(document);
    },
  };
}

function isFresh(
  { decidedAt, responses }: { decidedAt: number; responses: PlayerResponses },
  now: number,
): boolean {
  return decidedAt <= now && now < responses.validUntil && now - decidedAt < MAX_AGE_MS;
}

/** Every error is counted; each part of each version is logged once, or a bad rule would fill the log. */
function createErrorReport(metrics: Metrics, logger: Logger) {
  const logged = new Map<number, { version: number; parts: Set<string> }>();
  return (gameId: number, version: number, part: string, error: unknown): void => {
    const [kind = part] = part.split(':', 1);
    metrics.personalisationErrors.inc({ kind });
    let known = logged.get(gameId);
    if (known?.version !== version) {
      known = { version, parts: new Set() };
      logged.set(gameId, known);
    }
    if (known.parts.has(part)) return;
    known.parts.add(part);
    logger.error(
      { err: error, gameId, version, part },
      'a rule failed for a player: its flag has the default value, its segment or offer does not match, or the untargeted store was sent',
    );
  };
}
