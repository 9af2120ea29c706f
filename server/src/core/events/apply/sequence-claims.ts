import type { EventRecord, PlayerKey } from '../intake/event-record.js';
import { EVENT_LIMITS } from '../intake/limits.js';
import { addSequences, gapsOf, parseRanges, rangesOf, type SequenceRange } from './sequences.js';

/** Numbers of events that arrived and were rejected: they do not count as lost. */
export type RejectedSequences = PlayerKey & { installId: string; sequences: readonly number[] };

/** The numbers that one installation sent in a group. */
export type SequenceClaim = PlayerKey & {
  installId: string;
  clientBuild: string | null;
  platform: string | null;
  receivedAtMs: number;
  /** Ascending, each once. */
  numbers: number[];
  /** Which record of the group has the number; the first of several. */
  recordOf: Map<number, number>;
};

/** What the database knows of an installation, where its numbers are not simply the next ones. */
export type KnownSequences = {
  /** Which claim this is about. */
  place: number;
  seen: string;
  /** How many installations the player has, where this one is new. */
  installs: number | null;
};

/** The result of a claim. */
export type SettledClaim = {
  claim: SequenceClaim;
  /** The numbers to remember. */
  added: SequenceRange[];
  /** The gaps after that; undefined where there are none and were none. */
  gaps: SequenceRange[] | undefined;
};

export function claimsOf(
  records: readonly EventRecord[],
  rejected: readonly RejectedSequences[],
): SequenceClaim[] {
  const claims = new Map<string, SequenceClaim>();
  for (const [index, record] of records.entries()) {
    const { sequence, installId } = record;
    if (sequence === null || installId === null) continue;
    const claim = claimFor(claims, record, installId);
    claim.platform = record.profile?.osName ?? claim.platform;
    if (!claim.recordOf.has(sequence)) claim.recordOf.set(sequence, index);
  }
  for (const source of rejected) {
    const claim = claimFor(claims, { ...source, clientBuild: null, receivedAtMs: 0 }, source.installId);
    claim.numbers.push(...source.sequences);
  }
  for (const claim of claims.values()) {
    const numbers = new Set([...claim.recordOf.keys(), ...claim.numbers]);
    claim.numbers = [...numbers].sort((a, b) => a - b);
  }
  return [...claims.values()];
}

function claimFor(
  claims: Map<string, SequenceClaim>,
  {
    playerId,
    gameId,
    clientBuild,
    receivedAtMs,
  }: PlayerKey & { clientBuild: string | null; receivedAtMs: number },
  installId: string,
): SequenceClaim {
  const key = `${playerId}:${installId}`;
  let claim = claims.get(key);
  if (claim === undefined) {
    claim = {
      playerId,
      gameId,
      installId,
      clientBuild,
      platform: null,
      receivedAtMs,
      numbers: [],
      recordOf: new Map(),
    };
    claims.set(key, claim);
  }
  return claim;
}

/** Which records are not new, and which numbers to store. Records are named by their index in the group. */
export function settleClaims(
  claims: readonly SequenceClaim[],
  known: readonly KnownSequences[],
): { settled: SettledClaim[]; duplicates: Set<number>; tooSparse: Set<number> } {
  const duplicates = new Set<number>();
  const tooSparse = new Set<number>();
  const knownOf = new Map(known.map((row) => [row.place, row]));
  const settled = claims.map((claim, place): SettledClaim => {
    const row = knownOf.get(place);
    if (row === undefined) return { claim, added: rangesOf(claim.numbers), gaps: undefined };
    const isRefused = row.installs !== null && row.installs >= EVENT_LIMITS.maxInstalls;
    const before = parseRanges(row.seen);
    const result = isRefused
      ? { seen: before, known: new Set<number>(), tooSparse: new Set(claim.numbers) }
      : addSequences(before, claim.numbers, EVENT_LIMITS.maxSequenceGaps);
    for (const [number, index] of claim.recordOf) {
      if (result.known.has(number)) duplicates.add(index);
      if (result.tooSparse.has(number)) tooSparse.add(index);
    }
    const added = claim.numbers.filter(
      (number) => !result.known.has(number) && !result.tooSparse.has(number),
    );
    return { claim, added: rangesOf(added), gaps: gapsOf(result.seen) };
  });
  return { settled, duplicates, tooSparse };
}
