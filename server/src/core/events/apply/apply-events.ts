import {
  type Call,
  type Client,
  type Pool,
  pipelinedTransaction,
  sendAll,
  transaction,
} from '../../../platform/db/pool.js';
import type { OrderHashes } from '../../../platform/security/erasure-hashes.js';
import type { CountedEvent, EventRecord } from '../intake/event-record.js';
import { activatePlayers } from './activation-queries.js';
import { auditMove } from './audit-move.js';
import { insertBlocks } from './block-queries.js';
import {
  findNotices,
  findTransactions,
  type Holder,
  type LastNotice,
  lockTransactions,
  shareUnproved,
} from './claim-queries.js';
import { type EventSums, sumEvents } from './event-sums.js';
import { foldEvents, type LockedPlayer, lockPlayers } from './fold-queries.js';
import { insertGooglePurchases, isOfGoogle } from './google-purchase-queries.js';
import { findIdentities, insertIdentities } from './identity-queries.js';
import { mergeTransactions, type TransactionRow } from './merge-transactions.js';
import { foldOwnAttributes, type LockedOwn, type OwnAttributes } from './own-attributes.js';
import { findOwnSets } from './own-sets.js';
import {
  claimsOf,
  type RejectedSequences,
  type SequenceClaim,
  type SettledClaim,
  settleClaims,
} from './sequence-claims.js';
import { findSequences, rememberSequences } from './sequence-queries.js';
import { findChanges, insertChanges, type TransactionChange } from './transaction-changes.js';
import {
  isClaim,
  isUnproved,
  noticesTo,
  type SettledPurchases,
  settlePurchases,
  transactionOf,
} from './transaction-claims.js';
import { applyTransactions, updatePurchaseTimes } from './transaction-queries.js';

/** `too_sparse`: its number would leave more gaps than a client may. `no_player`: its player has been erased, or will be. */
export type EventOutcome = 'new' | 'duplicate' | 'too_sparse' | 'no_player';

type Decided = {
  outcomes: EventOutcome[];
  settled: SettledClaim[];
  /** Whether a player's row is there, also if the player will be erased. */
  isThere: (playerId: string) => boolean;
  own: OwnAttributes;
  /** What stores have said of purchases that come without proof, by `transactionKey`. */
  notices: ReadonlyMap<string, LastNotice>;
};

/**
 * Makes events durable and folds those that are new into their players' rows, exactly once, in one transaction and two
 * round trips:
 *
 *   lock the players, ask what is new ──► add up the new events (in the worker) ──► store them, fold them, commit
 *
 * Why it is right:
 * - Players are locked first, in the order of their ids: crossing groups queue up and never deadlock, and every statement
 *   after the lock sees all that was applied to these players before. Events of a player that is not there to be locked are
 *   left out: nothing of an erased player comes back.
 * - A number is new if the installation has not sent it before, any other event if its identity is new. Only what is new
 *   counts, also as a purchase.
 * - Every merge is commutative (count, min, max, union), so any order and grouping gives the same row. Purchases are
 *   counted by the difference between a transaction's row before and after, so a refund may come first.
 *
 * `rejected`: numbers that arrived with these events and were rejected. `hashes` tell orders of erased players; they are asked for where
 * there are purchases.
 */
export async function applyEvents(
  pool: Pool,
  records: readonly EventRecord[],
  rejected: readonly RejectedSequences[] = [],
  hashes?: () => Promise<OrderHashes | undefined>,
): Promise<EventOutcome[]> {
  const claims = claimsOf(records, rejected);
  if (records.length === 0 && claims.length === 0) return [];
  const known = records.some(({ transaction: fact }) => fact !== null) ? await hashes?.() : undefined;
  if (records.some(isClaim)) {
    const applied = await transaction(pool, (client) => applyWithClaims(client, records, claims, known));
    return applied.outcomes;
  }
  const { outcomes } = await pipelinedTransaction(
    pool,
    (client) => decideEvents(client, records, claims, known),
    (decided) => storeAndCount(records, decided),
  );
  return outcomes;
}

/** Events that were received long ago, by another installation. */
export type History = Readonly<{
  /** Their identities are remembered from now on: those of the time of receipt may be forgotten already. */
  nowMs: number;
  /** Events received before are counted and not stored: the retention of the game has deleted all others of that time. */
  keptFromMs: number;
}>;

/** The same within a transaction of the caller's, who commits it together with something else. */
export async function applyEventsWithin(
  client: Client,
  records: readonly EventRecord[],
  hashes: OrderHashes | undefined,
): Promise<EventOutcome[]> {
  const { outcomes } = await applyHistoryWithin(client, records, [], hashes);
  return outcomes;
}

export type AppliedHistory = Readonly<{ outcomes: EventOutcome[]; changes: EventOutcome[] }>;

/** The same with what stores and other players made of transactions at the other installation. */
export async function applyHistoryWithin(
  client: Client,
  records: readonly EventRecord[],
  changes: readonly TransactionChange[],
  hashes: OrderHashes | undefined,
  history?: History,
): Promise<AppliedHistory> {
  if (records.length + changes.length === 0) return { outcomes: [], changes: [] };
  const sequences = claimsOf(records, []);
  if (changes.length > 0 || records.some(isClaim)) {
    return applyWithClaims(client, records, sequences, hashes, { changes, history });
  }
  const decided = await decideEvents(client, records, sequences, hashes);
  await sendAll(client, storeAndCount(records, decided, { history }));
  return { outcomes: decided.outcomes, changes: [] };
}

/**
 * The same for groups with verified purchases. They may take a transaction from another player, who has to be locked, too. So the
 * transactions are locked first, and their holders are known before any player is locked.
 */
async function applyWithClaims(
  client: Client,
  records: readonly EventRecord[],
  sequences: readonly SequenceClaim[],
  hashes: OrderHashes | undefined,
  { changes = [], history }: { changes?: readonly TransactionChange[]; history?: History | undefined } = {},
): Promise<AppliedHistory> {
  const ids = records.filter(isClaim).map(transactionOf);
  await lockTransactions(client, [...ids, ...changes]);
  const { holders, notices } = await findTransactions(client, ids, hashes);
  const playerIds = [...[...holders.values()].flat(), ...changes].map(({ playerId }) => playerId);
  const decided = await decideEvents(client, records, sequences, hashes, playerIds);
  // A purchase also moves away from a player who waits for the erasure: the request may be withdrawn.
  const isThere = ({ playerId }: { playerId: string }) => decided.isThere(playerId);
  const presentOf = (all: readonly Holder[]) => all.filter(isThere).map((holder) => heldIn(holder, history));
  const present = new Map([...holders].map(([key, all]) => [key, presentOf(all)] as const));
  const isNew = (_: unknown, index: number) => decided.outcomes[index] === 'new';
  const settled = settlePurchases(records.filter(isNew), { holders: present, notices });
  const isKnown = changes.length > 0 ? await findChanges(client, changes) : [];
  const changeOutcomes = changes.map((change, index): EventOutcome => {
    if (!isThere(change)) return 'no_player';
    return isKnown[index] ? 'duplicate' : 'new';
  });
  // Where a file and the proofs in it say the same, the file knows when it was recorded.
  const imported = changes.filter((_, index) => changeOutcomes[index] === 'new');
  const purchases = { ...settled, changes: [...imported, ...settled.changes] };
  await sendAll(client, storeAndCount(records, decided, { purchases, history }));
  for (const move of settled.moves) await auditMove(client, move);
  return { outcomes: decided.outcomes, changes: changeOutcomes };
}

/** The other installation has told each later owner what the store had said: the file holds that as changes of their own. */
function heldIn(holder: Holder, history: History | undefined): Holder {
  return history === undefined ? holder : { ...holder, notice: null };
}

const NO_NOTICES: ReadonlyMap<string, LastNotice> = new Map();

/** Sends all statements before it waits for any, but for own attributes that the connection has not met before. */
async function decideEvents(
  client: Client,
  records: readonly EventRecord[],
  claims: readonly SequenceClaim[],
  hashes: OrderHashes | undefined,
  otherPlayerIds: readonly string[] = [],
): Promise<Decided> {
  const playerIds = new Set<string>(otherPlayerIds);
  for (const { playerId } of records) playerIds.add(playerId);
  for (const { playerId } of claims) playerIds.add(playerId);
  const identified = records.filter(hasIdentity);
  const unproved = records.filter(isUnproved);
  const unprovedIds = unproved.map(transactionOf);
  const [, locked, known, isKnown, notices] = await Promise.all([
    unproved.length > 0 ? shareUnproved(client, unprovedIds) : undefined,
    lockPlayers(client, [...playerIds]),
    claims.length > 0 ? findSequences(client, claims) : [],
    identified.length > 0 ? findIdentities(client, identified) : [],
    unproved.length > 0 ? findNotices(client, unprovedIds, hashes) : NO_NOTICES,
  ]);
  const { settled, duplicates, tooSparse } = settleClaims(claims, known);
  const isGone = (playerId: string) => locked.get(playerId)?.isLeaving !== false;
  const firsts = new Set(claims.flatMap(({ recordOf }) => [...recordOf.values()]));
  let place = 0;
  const outcomes = records.map((record, index): EventOutcome => {
    const isDuplicate = hasIdentity(record) ? isKnown[place++] : undefined;
    if (isGone(record.playerId)) return 'no_player';
    if (isDuplicate !== undefined) return isDuplicate ? 'duplicate' : 'new';
    if (tooSparse.has(index)) return 'too_sparse';
    return duplicates.has(index) || !firsts.has(index) ? 'duplicate' : 'new';
  });
  return {
    outcomes,
    settled: settled.filter(({ claim }) => !isGone(claim.playerId)),
    isThere: (playerId) => locked.has(playerId),
    notices,
    own: await findOwnAttributes(client, locked.values()),
  };
}

/** The sets that the own attributes of these players are folded by. */
async function findOwnAttributes(client: Client, locked: Iterable<LockedPlayer>): Promise<OwnAttributes> {
  const players = new Map<string, LockedOwn>();
  for (const { playerId, gameId, ownVersion, ownState } of locked) {
    if (ownVersion !== null) players.set(playerId, { gameId, version: ownVersion, state: ownState });
  }
  return { players, sets: await findOwnSets(client, [...players.values()]) };
}

/** Whether its identity decides if it is new. A numbered purchase has an identity, too, but its number decides. */
function hasIdentity(record: EventRecord): record is EventRecord & { identity: string } {
  if (record.sequence !== null && record.installId !== null) return false;
  if (record.identity === null) throw new Error('an event without a number has an identity');
  return true;
}

/** `purchases`: what the new ones of the records make of verified transactions, if there are any. */
function storeAndCount(
  records: readonly EventRecord[],
  { outcomes, settled, own, notices }: Decided,
  { purchases, history }: { purchases?: SettledPurchases; history?: History | undefined } = {},
): Call[] {
  const isAllNew = outcomes.every((outcome) => outcome === 'new');
  const news = isAllNew ? records : records.filter((_, index) => outcomes[index] === 'new');
  const fresh = purchases?.records ?? news;
  // What is imported brings the word of the store along.
  const told =
    notices.size === 0 || history !== undefined ? [] : noticesTo(fresh.filter(isUnproved), notices);
  const changes = [...(purchases?.changes ?? []), ...told];
  const remembered = rememberSequences(settled);
  if (fresh.length === 0) return [...remembered, ...countChanges(changes)];
  const identified = fresh.filter(hasIdentity);
  if (identified.length > 0) remembered.push(insertIdentities(identified, history?.nowMs));
  if (changes.length > 0) remembered.push(insertChanges(changes));
  remembered.push(...activatePlayers(fresh));
  // What another installation has received it has acknowledged, too.
  const toConfirm = history === undefined ? fresh.filter(isOfGoogle) : [];
  if (toConfirm.length > 0) remembered.push(insertGooglePurchases(toConfirm));
  const kept =
    history === undefined ? fresh : fresh.filter(({ receivedAtMs }) => receivedAtMs >= history.keptFromMs);
  return [
    ...(kept.length > 0 ? [insertBlocks(kept)] : []),
    ...remembered,
    ...countSums(sumsOf(fresh, own), fresh, changes),
  ];
}

/** Folds events that are known to be new. Their players must be locked, or visible to no other transaction. */
export function countEvents(
  records: readonly CountedEvent[],
  changes: readonly TransactionChange[] = [],
): Call[] {
  return countSums(sumEvents(records), records, changes);
}

function sumsOf(records: readonly EventRecord[], own: OwnAttributes): EventSums {
  const sums = sumEvents(records);
  foldOwnAttributes(sums, records, own);
  return sums;
}

function countSums(
  sums: EventSums,
  records: readonly CountedEvent[],
  changes: readonly TransactionChange[],
): Call[] {
  return [foldEvents(sums), ...countTransactions(mergeTransactions(records, changes))];
}

/** Stores changes, and counts what they make of their players, who must be locked. */
export function countChanges(changes: readonly TransactionChange[]): Call[] {
  return changes.length === 0
    ? []
    : [insertChanges(changes), ...countTransactions(mergeTransactions([], changes))];
}

/** What changes in transactions make of their players. */
export function countTransactions(rows: readonly TransactionRow[]): Call[] {
  const buyers = [...new Set(rows.map((row) => row.playerId))];
  return rows.length === 0 ? [] : [applyTransactions(rows), updatePurchaseTimes(buyers)];
}
