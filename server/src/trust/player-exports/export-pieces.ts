import type { Client } from '../../platform/db/pool.js';
import { DAY_MS } from '../../platform/lib/day.js';
import {
  type BlockKey,
  type ExportedPlayer,
  findExportedPlayer,
  listExportedEvents,
  listSectionRows,
} from './export-queries.js';
import { EXPORT_SECTIONS, type ExportSection } from './export-sections.js';
import { exportedDecisions } from './exported-decisions.js';

export const EXPORT_FORMAT = 'savepoint-player-export';
/** Goes up when a member is removed or means something else. New members may come at any time. */
export const EXPORT_FORMAT_VERSION = 1;

/** A refused event has 64 KiB at most, so a page has 6 MB at the very worst. */
const PAGE_ROWS = 100;
/** An event has 32 KiB at most, so a page has 32 MB at the very worst: blocks have up to 500 events. */
const PAGE_EVENTS = 500;
/** Days of events that a statement opens. A player who was away costs a statement for each of these spans. */
const SPAN_MS = 32 * DAY_MS;

export type ExportQuestion = Readonly<{ gameId: number; userId: string; nowMs: number }>;

/**
 * Everything that is stored about a player, as the text of one JSON document, piece by piece. The client has a snapshot open. A piece
 * is read when the one before it was taken, so memory does not depend on how much is stored. Undefined: there is no such player.
 */
export async function exportPieces(
  client: Client,
  { gameId, userId, nowMs }: ExportQuestion,
): Promise<AsyncGenerator<string> | undefined> {
  const player = await findExportedPlayer(client, gameId, userId);
  return player === undefined ? undefined : piecesOf(client, player, nowMs);
}

async function* piecesOf(client: Client, player: ExportedPlayer, nowMs: number): AsyncGenerator<string> {
  const { tenant, game, eventsDeletedBefore, json } = player;
  const head = {
    format: EXPORT_FORMAT,
    formatVersion: EXPORT_FORMAT_VERSION,
    exportedAt: new Date(nowMs).toISOString(),
    tenantId: tenant,
    gameId: game,
    eventsDeletedBefore,
  };
  const decisions = await exportedDecisions(client, player, nowMs);
  yield `${JSON.stringify(head).slice(0, -1)},\n"player":${json},\n${JSON.stringify(decisions).slice(1, -1)}`;
  for (const section of EXPORT_SECTIONS) {
    yield* asArray(section.member, rowsOf(client, section, player.playerId));
  }
  yield* asArray('events', eventsOf(client, player, nowMs));
  yield '\n}\n';
}

/** Pages of JSON texts as one array of the document. */
async function* asArray(member: string, pages: AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  yield `,\n"${member}":[`;
  let separator = '\n';
  for await (const page of pages) {
    yield separator + page.join(',\n');
    separator = ',\n';
  }
  yield ']';
}

async function* rowsOf(client: Client, section: ExportSection, playerId: string): AsyncGenerator<string[]> {
  let after: readonly string[] = section.firstKey;
  for (;;) {
    const rows = await listSectionRows(client, section, playerId, after, PAGE_ROWS);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.map(({ json }) => json);
    after = last.key;
  }
}

async function* eventsOf(
  client: Client,
  { playerId, createdAt }: ExportedPlayer,
  nowMs: number,
): AsyncGenerator<string[]> {
  // The clock of another node may differ.
  const endMs = nowMs + DAY_MS;
  for (let fromMs = createdAt - DAY_MS; fromMs < endMs; fromMs += SPAN_MS) {
    let after: BlockKey = { receivedAt: new Date(fromMs).toISOString(), blockId: '0' };
    for (;;) {
      const events = await listExportedEvents(client, playerId, after, fromMs + SPAN_MS, PAGE_EVENTS);
      const last = events.at(-1);
      if (last === undefined) break;
      yield events.map(({ json }) => json);
      after = last;
    }
  }
}
