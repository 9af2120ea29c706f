import { type Client, type Pool, sendAll } from '../../db/pool.js';
import type { Rest } from '../../lib/share-of-time.js';
import type { PlayerFacts } from '../../personalisation/attributes/player-facts.js';
import { countEvents, countTransactions } from '../events/apply/apply-events.js';
import { mergeTransactions } from '../events/apply/merge-transactions.js';
import type { CountedEvent } from '../events/intake/event-record.js';
import { findFacts } from '../players/facts-queries.js';
import { onShadowTables } from './rebuild-connections.js';
import { findDeletedBefore } from './rebuild-facts.js';
import type { RebuiltPlayer, Span } from './rebuilt-player.js';
import {
  copyInstant,
  fillShadowTablesOfMany,
  hideRealTables,
  listPlayersToCopy,
  showRealTables,
} from './shadow-tables.js';
import { openStoredBlocks, readStoredBlocks } from './stored-blocks.js';
import { listChanges } from './stored-changes.js';

/** An instant, and the players whose facts are wanted then. */
export type RebuiltInstant = Readonly<{ atMs: number; players: readonly RebuiltPlayer[] }>;

export type ManyRebuilds = Readonly<{
  gameId: number;
  players: readonly RebuiltPlayer[];
  /** In order of time. */
  instants: readonly RebuiltInstant[];
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
  { gameId, players, instants, visit, rest }: ManyRebuilds,
): Promise<ManyRebuilt> {
  await showRealTables(client);
  const deletedBefore = await findDeletedBefore(client, gameId);
  const toCopy = new Set(await listPlayersToCopy(client, players));
  await fillShadowTablesOfMany(client, gameId, players);
  const fold = new SpanFold(client, players, rest);
  for (const [index, instant] of instants.entries()) {
    const { atMs } = instant;
    await fold.until(index === 0 ? { atMs } : { afterMs: instants[index - 1]?.atMs ?? 0, atMs });
    const plain = instant.players.filter(({ playerId }) => !toCopy.has(playerId));
    await visitFacts(client, instant, plain, visit);
    for (const player of instant.players) {
      if (!toCopy.has(player.playerId)) continue;
      await copyInstant(client, player, atMs);
      await visitFacts(client, instant, [player], visit);
    }
    await rest();
  }
  return { deletedBefore, foldedEvents: fold.events };
}

async function visitFacts(
  client: Client,
  instant: RebuiltInstant,
  players: readonly RebuiltPlayer[],
  visit: ManyRebuilds['visit'],
): Promise<void> {
  if (players.length === 0) return;
  const playerOf = new Map(players.map((player) => [player.playerId, player]));
  const readings = await findFacts(client, [...playerOf.keys()], instant.atMs);
  for (const { playerId, facts } of readings) {
    const player = playerOf.get(playerId);
    if (player !== undefined) await visit(instant, player, facts);
  }
}

/** Folds what was received in one span after the other. */
class SpanFold {
  readonly #client: Client;
  readonly #players: readonly RebuiltPlayer[];
  readonly #rest: Rest;
  /** Received after the last span, though their block is older: about a day of events at most. */
  #later: CountedEvent[] = [];
  events = 0;

  constructor(client: Client, players: readonly RebuiltPlayer[], rest: Rest) {
    this.#client = client;
    this.#players = players;
    this.#rest = rest;
  }

  async until(span: Span): Promise<void> {
    await showRealTables(this.#client);
    await openStoredBlocks(this.#client, this.#players, span);
    const changes = await listChanges(this.#client, this.#players, span);
    await hideRealTables(this.#client);
    const waiting = this.#later;
    this.#later = [];
    const due: CountedEvent[] = [];
    for (const event of waiting) (event.receivedAtMs <= span.atMs ? due : this.#later).push(event);
    await this.#fold(due);
    for await (const events of readStoredBlocks(this.#client, this.#players, span, this.#later)) {
      await this.#fold(events);
    }
    await this.#client.query('close stored_blocks');
    await sendAll(this.#client, countTransactions(mergeTransactions([], changes)));
  }

  async #fold(events: readonly CountedEvent[]): Promise<void> {
    if (events.length === 0) return;
    await sendAll(this.#client, countEvents(events));
    this.events += events.length;
    await this.#rest();
  }
}
