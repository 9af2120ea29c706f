import type { CompiledDocument } from '../../decide/compile/compiled-document.js';
import type { ModelsInForce } from '../../decide/predict/models-in-force.js';
import type { Client } from '../../platform/db/pool.js';
import { evaluatePlayer } from '../evaluations/evaluate-player.js';
import { factColumns } from '../evaluations/fact-columns.js';
import { factNeeds } from '../evaluations/fact-needs.js';
import { listFactRowsOf } from '../evaluations/player-queries.js';
import { TimeSlice } from '../evaluations/time-slice.js';
import { neededParts } from './needed-parts.js';
import type { PlayerListRow } from './player-list-queries.js';

export type Membership = Readonly<{
  gameId: number;
  document: CompiledDocument;
  segmentId: string;
  models: ModelsInForce;
  nowMs: number;
}>;

/** Picks the players who are in a segment. */
export type MemberFilter = (client: Client, players: readonly PlayerListRow[]) => Promise<PlayerListRow[]>;

/**
 * Memberships are not stored, because they can change with time alone. So the players are evaluated one by one, by the same functions
 * as in a dry run.
 */
export function memberFilter({ document, segmentId, gameId, models, nowMs }: Membership): MemberFilter {
  const needed = neededParts(document, { kind: 'segment', id: segmentId });
  const columns = factColumns(factNeeds([needed]), { atMs: nowMs });
  const timeSlice = new TimeSlice(() => performance.now());
  return async (client, players) => {
    const ids = players.map(({ id }) => id);
    const members = new Set<string>();
    for (const row of await listFactRowsOf(client, gameId, columns, ids)) {
      const facts = columns.toFacts(row);
      // A rule that fails for a player counts as false; `explain` shows the error.
      const { segments } = evaluatePlayer(needed, facts, nowMs, models, () => {});
      if (segments.has(segmentId)) members.add(facts.userId);
      if (timeSlice.isOver) await timeSlice.giveWay();
    }
    return players.filter(({ playerId }) => members.has(playerId));
  };
}
