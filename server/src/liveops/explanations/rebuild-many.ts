import { countEvents, countTransactions } from '../../core/events/apply/apply-events.js';
import { mergeTransactions } from '../../core/events/apply/merge-transactions.js';
import { findFacts } from '../../core/players/facts-queries.js';
import type { PlayerFacts } from '../../decide/attributes/player-facts.js';
import type { OwnDefinition } from '../../decide/own-attributes/own-definition.js';
import { OwnFold, type OwnSet, ownSet } from '../../decide/own-attributes/own-state.js';
import { type Client, type Pool, sendAll } from '../../platform/db/pool.js';
import type { Rest } from '../../platform/lib/share-of-time.js';
import { findDeletedBefore } from '../../studio/admin-api/game-queries.js';
import { onShadowTables } from './rebuild-connections.js';
import type { RebuiltPlayer, Span } from './rebuilt-player.js';
import {
  copyInstant,
  fillShadowTablesOfMany,
  hideRealTables,
  listPlayersToCopy,
  showRealTables,
} from './shadow-tables.js';
import { openStoredBlocks, type RebuiltEvent, readStoredBlocks } from './stored-blocks.js';
import { listChanges } from './stored-changes.js';

/** An instant, and the players whose facts are wanted then. */
export type RebuiltInstant = Readonly<{ atMs: number; players: readonly RebuiltPlayer[] }>;

export type ManyRebuilds = Readonly<{
  gameId: number;
  players: readonly RebuiltPlayer[];
  /** In order of time. */
  instants: readonly RebuiltInstant[];
  /** Own attributes to compute: those of all documents that the facts are evaluated under. */
  attributes: readonly OwnDefinition[];
  /** Called for each player of each instant, instant by instant. */
  visit: (instant: RebuiltInstant, player: RebuiltPlayer, facts: PlayerFacts) => void | Promise<void>;
  /** Called after each group of events, and after each instant. */
  rest: Rest;
}>;

export type ManyRebuilt = Readonly<{ deletedBefore: string | null; foldedEvents: number }>;

/**
 * The facts about some players at several instants, in one pass over their events: folds what was received until the first instant, reads
 * the facts, folds on to the next one. The facts are those of `rebuildFacts`, which does this for one player and instant.
 */
export function rebuildMany(pool: Pool, rebuilds: ManyRebuilds): Promise<ManyRebuilt> {
  return onShadowTables(pool, (client) => rebuildAll(client, rebuilds));
}

async function rebuildAll(
  client: Client,
  { gameId, players, instants, attributes, visit, rest }: ManyRebuilds,
): Promise<ManyRebuilt> {
  await showRealTables(client);
  const deletedBefore = await findDeletedBefore(client, gameId);
  const toCopy = new Set(await listPlayersToCopy(client, players));
  await fillShadowTablesOfMany(client, gameId, players);
  const fold = new SpanFold(client, players, ownSet(attributes), rest);
  for (const [index, instant] of instants.entries()) {
    const { atMs } = instant;
    await fold.until(index === 0 ? { atMs } : { afterMs: instants[index - 1]?.atMs ?? 0, atMs });
    const plain = instant.players.filter(({ playerId }) => !toCopy.has(playerId));
    await visitFacts(client, instant, plain, fold, visit);
    for (const player of instant.players) {
      if (!toCopy.has(player.playerId)) continue;
      await copyInstant(client, player, atMs);
      await visitFacts(client, instant, [player], fold, visit);
    }
    await rest();
  }
  return { deletedBefore, foldedEvents: fold.events };
}

async function visitFacts(
  client: Client,
  instant: RebuiltInstant,
  players: readonly RebuiltPlayer[],
  fold: SpanFold,
  visit: ManyRebuilds['visit'],
): Promise<void> {
  if (players.length === 0) return;
  const playerOf = new Map(players.map((player) => [player.playerId, player]));
  const readings = await findFacts(client, [...playerOf.keys()], instant.atMs);
  for (const { playerId, facts } of readings) {
    const player = playerOf.get(playerId);
    if (player !== undefined) await visit(instant, player, fold.withOwn(playerId, facts));
  }
}

/** Folds what was received in one span after the other. */
class SpanFold {
  readonly #client: Client;
  readonly #players: readonly RebuiltPlayer[];
  readonly #rest: Rest;
  readonly #set: OwnSet;
  readonly #own = new Map<string, OwnFold>();
  /** Received after the last span, though their block is older: about a day of events at most. */
  #later: RebuiltEvent[] = [];
  events = 0;

  constructor(client: Client, players: readonly RebuiltPlayer[], set: OwnSet, rest: Rest) {
    this.#client = client;
    this.#players = players;
    this.#set = set;
    this.#rest = rest;
  }

  async until(span: Span): Promise<void> {
    await showRealTables(this.#client);
    await openStoredBlocks(this.#client, this.#players, span);
    const changes = await listChanges(this.#client, this.#players, span);
    await hideRealTables(this.#client);
    const waiting = this.#later;
    this.#later = [];
    const due: RebuiltEvent[] = [];
    for (const event of waiting) (event.receivedAtMs <= span.atMs ? due : this.#later).push(event);
    await this.#fold(due);
    for await (const events of readStoredBlocks(this.#client, this.#players, span, this.#later)) {
      await this.#fold(events);
    }
    await this.#client.query('close stored_blocks');
    await sendAll(this.#client, countTransactions(mergeTransactions([], changes)));
  }

  async #fold(events: readonly RebuiltEvent[]): Promise<void> {
    if (events.length === 0) return;
    await sendAll(this.#client, countEvents(events));
    for (const event of events) {
      if (this.#set.byEventType.has(event.eventType)) {
        this.#ownOf(event.playerId).add(event.eventType, { ...event, atMs: event.effectiveAtMs });
      }
    }
    this.events += events.length;
    await this.#rest();
  }

  /** The facts of a player, with the own attributes as far as events are folded. */
  withOwn(playerId: string, facts: PlayerFacts): PlayerFacts {
    if (this.#set.keys.length === 0 || facts.eventCount === 0) return facts;
    return { ...facts, own: this.#ownOf(playerId).state };
  }

  #ownOf(playerId: string): OwnFold {
    let fold = this.#own.get(playerId);
    if (fold === undefined) {
      fold = new OwnFold(this.#set, {});
      this.#own.set(playerId, fold);
    }
    return fold;
  }
}
