import { findPublicationBefore, listVersionsPublished } from '../../core/configs/config-queries.js';
import { listSessions, NO_SESSION } from '../../liveops/sessions/session-list-queries.js';
import { type Client, type Pool, snapshot } from '../../platform/db/pool.js';
import { DAY_MS } from '../../platform/lib/day.js';
import { holdWindows } from '../exports/window-queries.js';
import type { ScannedEvent } from './block-queries.js';
import { type ScannedEvents, scanEvents } from './scan-events.js';
import {
  eventItem,
  failedItem,
  loginItems,
  overrideItems,
  pinItems,
  type TimedItem,
  type TimelineFilter,
  transactionIdOf,
  typeFilter,
  versionItem,
} from './timeline-items.js';
import {
  findTransactionEnds,
  listFailedOfPlayer,
  listOverrideHistory,
  listPinHistory,
  type TimelinePlayer,
  type TransactionEnd,
} from './timeline-queries.js';
import type { TimelineItem } from './timeline-schemas.js';

/** Everything after the millisecond was shown, and this many items of the millisecond itself. */
export type TimelinePosition = Readonly<{ ms: number; shown: number }>;

export type TimelineQuestion = Readonly<{
  player: TimelinePlayer;
  filter: TimelineFilter;
  from: TimelinePosition;
  /** Nothing from before this millisecond is wanted. */
  sinceMs?: number | undefined;
  limit: number;
  nowMs: number;
}>;

export type TimelinePage = Readonly<{
  items: TimelineItem[];
  /** Null at the end. */
  next: TimelinePosition | null;
}>;

/** The newest overrides and pins of a player; people set them one by one. */
const MAX_OVERRIDES = 1_000;

/**
 * A page of what happened to a player, newest first. Each source returns its newest items from a position on, and the page
 * takes the newest of them all. Within a millisecond the order is that of the sources and of the items in them.
 */
export async function timelinePage(pool: Pool, question: TimelineQuestion): Promise<TimelinePage> {
  return snapshot(pool, async (client) => {
    // Before the snapshot is taken: the blocks of a day and its windows are to be of the same state.
    await holdWindows(client);
    const others = [
      ...(await listFailed(client, question)),
      ...(await listLogins(client, question)),
      ...(await listOverrides(client, question)),
      ...(await listPins(client, question)),
      ...(await listVersions(client, question)),
    ];
    const { events, completeSinceMs } = await listEvents(client, question);
    const { sinceMs = Number.NEGATIVE_INFINITY } = question;
    const items = [...others, ...events].filter(({ ms }) => ms >= sinceMs).sort((a, b) => b.ms - a.ms);
    const isRead = completeSinceMs === null || completeSinceMs <= sinceMs;
    return cutTimeline(items, question, isRead ? null : completeSinceMs);
  });
}

/** One more than is shown tells whether there is a next page. */
function wantedOf({ from, limit }: TimelineQuestion): number {
  return from.shown + limit + 1;
}

/** `sorted`: all items from the position on, or enough of them; none before `completeSinceMs` if that is known. */
export function cutTimeline<Item>(
  sorted: readonly Readonly<{ ms: number; item: Item }>[],
  { from, limit }: Readonly<{ from: TimelinePosition; limit: number }>,
  completeSinceMs: number | null,
): { items: Item[]; next: TimelinePosition | null } {
  const known = completeSinceMs === null ? sorted : sorted.filter(({ ms }) => ms >= completeSinceMs);
  const atStart = known.filter(({ ms }) => ms === from.ms).length;
  // Some of the items that were shown may be gone.
  const start = Math.min(from.shown, atStart);
  const page = known.slice(start, start + limit);
  const items = page.map(({ item }) => item);
  const last = page.at(-1);
  if (last !== undefined && known.length > start + limit) {
    const shown = known.slice(0, start + limit).filter(({ ms }) => ms === last.ms).length;
    return { items, next: { ms: last.ms, shown } };
  }
  return { items, next: completeSinceMs === null ? null : { ms: completeSinceMs - 1, shown: 0 } };
}

type TimedEvents = Readonly<{ events: TimedItem[]; completeSinceMs: number | null }>;

async function listEvents(client: Client, question: TimelineQuestion): Promise<TimedEvents> {
  const { player, filter, from, sinceMs } = question;
  const types = typeFilter(filter);
  if (types === undefined) return { events: [], completeSinceMs: null };
  // The clock of another node may have been behind.
  const firstMs = player.createdAt - DAY_MS;
  const scan = {
    playerId: player.playerId,
    toMs: from.ms,
    // What happens from a time on is received from then on. From the start of a day: a compacted block may reach beyond the time.
    floorMs: sinceMs === undefined ? firstMs : Math.max(firstMs, Math.floor(sinceMs / DAY_MS) * DAY_MS),
    types,
    wanted: wantedOf(question),
  };
  const { events, completeSinceMs }: ScannedEvents = await scanEvents(client, scan);
  const ends = await endsOf(client, player.playerId, events);
  const timed = events.map((event) => ({ ms: event.effectiveMs, item: eventItem(event, ends) }));
  return { events: timed, completeSinceMs };
}

async function endsOf(
  client: Client,
  playerId: string,
  events: readonly ScannedEvent[],
): Promise<ReadonlyMap<string, TransactionEnd>> {
  const bought = events.filter(({ eventType }) => eventType === 'Purchase');
  const ids = bought.flatMap((event) => transactionIdOf(event) ?? []);
  return ids.length === 0 ? new Map() : findTransactionEnds(client, playerId, ids);
}

async function listFailed(client: Client, question: TimelineQuestion): Promise<TimedItem[]> {
  const { player, filter, from } = question;
  if (!filter.kinds.has('failed')) return [];
  const page = { toMs: from.ms, eventType: filter.eventType, limit: wantedOf(question) };
  return (await listFailedOfPlayer(client, player.playerId, page)).map(failedItem);
}

async function listLogins(client: Client, question: TimelineQuestion): Promise<TimedItem[]> {
  const { player, filter, from } = question;
  if (!filter.kinds.has('login') || filter.eventType !== null) return [];
  const wanted = wantedOf(question);
  const key = { createdAtMs: from.ms + 1, sessionId: NO_SESSION };
  const sessions = await listSessions(client, player.playerId, key, wanted);
  const items = loginItems(sessions, player.createdAt, sessions.length < wanted);
  return items.filter(({ ms }) => ms <= from.ms);
}

async function listOverrides(
  client: Client,
  { player, filter, from, nowMs }: TimelineQuestion,
): Promise<TimedItem[]> {
  if (!filter.kinds.has('override') || filter.eventType !== null || !player.hasOverrides) return [];
  const history = await listOverrideHistory(client, player.playerId, MAX_OVERRIDES);
  return overrideItems(history, nowMs).filter(({ ms }) => ms <= from.ms);
}

async function listPins(
  client: Client,
  { player, filter, from, nowMs }: TimelineQuestion,
): Promise<TimedItem[]> {
  if (!filter.kinds.has('pin') || filter.eventType !== null || !player.hasOverrides) return [];
  const history = await listPinHistory(client, player.playerId, MAX_OVERRIDES);
  return pinItems(history, nowMs).filter(({ ms }) => ms <= from.ms);
}

async function listVersions(client: Client, question: TimelineQuestion): Promise<TimedItem[]> {
  const { player, filter, from } = question;
  if (!filter.kinds.has('version') || filter.eventType !== null) return [];
  const firstMs = await findPublicationBefore(client, player.gameId, player.createdAt);
  const span = {
    sinceMs: firstMs ?? player.createdAt,
    beforeMs: from.ms + 1,
    limit: wantedOf(question),
  };
  return (await listVersionsPublished(client, player.gameId, span)).map(versionItem);
}
