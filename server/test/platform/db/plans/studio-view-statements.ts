import { findPublicationBefore, listVersionsPublished } from '../../../../src/core/configs/config-queries.js';
import { findCurrentModels } from '../../../../src/core/predictions/models-at.js';
import { compileDocument } from '../../../../src/decide/compile/compile-document.js';
import { DEFAULT_DOCUMENT } from '../../../../src/decide/document/default-document.js';
import { listLiveEvents, listNewestBlocks } from '../../../../src/insight/live/live-queries.js';
import { listBlockHeads } from '../../../../src/insight/timelines/block-queries.js';
import { timelinePage } from '../../../../src/insight/timelines/timeline.js';
import {
  findTimelinePlayer,
  findTransactionEnds,
} from '../../../../src/insight/timelines/timeline-queries.js';
import { TIMELINE_KINDS } from '../../../../src/insight/timelines/timeline-schemas.js';
import { countAudience } from '../../../../src/liveops/audiences/audience.js';
import { BEFORE_ALL, findPlayers } from '../../../../src/liveops/audiences/find-players.js';
import { listPlayers } from '../../../../src/liveops/audiences/list-players.js';
import {
  listNewestPlayerIds,
  listPaidCurrencies,
} from '../../../../src/liveops/audiences/player-list-queries.js';
import {
  createPlayerSamples,
  SEGMENT_SAMPLE_SIZE,
} from '../../../../src/liveops/audiences/player-samples.js';
import { readByLastSeen, readBySpend, readNewest } from '../../../../src/liveops/audiences/player-sorts.js';
import { memberFilter } from '../../../../src/liveops/audiences/segment-members.js';
import { countSegmentNumbers } from '../../../../src/liveops/audiences/segment-numbers.js';
import {
  listDevices,
  listSessions,
  NO_SESSION,
} from '../../../../src/liveops/sessions/session-list-queries.js';
import { type Pool, snapshot } from '../../../../src/platform/db/pool.js';
import { readsOf } from '../../../../src/platform/db/reads.js';
import { clockFrom } from '../../../../src/platform/lib/clock.js';
import { MAX_ROW_ID } from '../../../../src/platform/lib/row-id.js';
import { revokeSessions } from '../../../../src/studio/sessions/revoke-sessions.js';
import { WORLD } from './large-tables.js';
import type { Listed } from './listed-statement.js';

const { gameId, quietGameId, playerId, userId } = WORLD;
const COMPILED = compileDocument(DEFAULT_DOCUMENT, { version: 1, publishedAt: 0 });
const LIST = { gameId, after: null, filter: {}, limit: 50 };
const DAY_MS = 86_400_000;

const FIRST_FOUND = { after: BEFORE_ALL, limit: 50, forgottenId: 'forgotten' };

/** Statements behind what a studio looks at: timelines, lists of players, inbox, live tail. */
export const STUDIO_VIEW_STATEMENTS: readonly Listed[] = [
  {
    what: 'versions by their time',
    call: async ({ admin, nowMs }) => {
      await listVersionsPublished(admin, gameId, { sinceMs: 0, beforeMs: nowMs, limit: 50 });
      await findPublicationBefore(admin, gameId, nowMs);
    },
  },
  {
    what: 'a timeline',
    call: ({ admin, nowMs }) => timelineOf(admin, nowMs),
  },
  {
    what: 'lists of players',
    call: async ({ admin }) => {
      await listNewestPlayerIds(admin, gameId, MAX_ROW_ID, 50);
      await listNewestPlayerIds(admin, quietGameId, MAX_ROW_ID, 50);
      await findPlayers(admin, gameId, userId, FIRST_FOUND);
      await findPlayers(admin, gameId, 'device-1', FIRST_FOUND);
      await findPlayers(admin, gameId, 'transaction-1', FIRST_FOUND);
      await findPlayers(admin, gameId, 'refused-1', FIRST_FOUND);
      await findPlayers(admin, gameId, userId.slice(-12), FIRST_FOUND);
      await findPlayers(admin, quietGameId, userId.slice(-12), FIRST_FOUND);
    },
  },
  {
    what: 'the members of a segment',
    call: async ({ admin, nowMs }) => {
      const [segment] = COMPILED.segments;
      if (segment === undefined) throw new Error('the default document has no segment');
      const { segmentId } = segment.listed;
      const { models } = await findCurrentModels(admin, gameId);
      const membership = { gameId, document: COMPILED, segmentId, models, nowMs };
      return listPlayers(admin, { ...LIST, read: readNewest, isMember: memberFilter(membership) });
    },
    reads: {
      tables: ['players', 'player_days'],
      why: 'the newest players are decided for, 500 at a time',
      atMost: 500,
    },
  },
  {
    what: 'players by what they paid',
    call: async ({ admin }) => {
      await listPlayers(admin, { ...LIST, read: readBySpend('USD') });
      await listPlayers(admin, { ...LIST, read: readBySpend('USD'), after: ['50', '50'] });
    },
  },
  {
    what: 'the currencies in which a game was paid',
    call: ({ admin, nowMs }) => listPaidCurrencies(admin, gameId, nowMs - DAY_MS),
    reads: { tables: ['game_days'], why: 'the days of one game in a year', atMost: 'all' },
  },
  {
    what: 'players by their last event',
    call: ({ admin, nowMs }) => listPlayers(admin, { ...LIST, read: readByLastSeen(nowMs) }),
    reads: {
      tables: ['event_blocks', 'players'],
      why: 'the newest blocks of the game, 500 at a time, and their players',
      atMost: 500,
    },
  },
  {
    what: 'the sample of players behind an audience',
    call: ({ admin, nowMs }) =>
      createPlayerSamples(readsOf(admin), clockFrom(nowMs)).of(gameId, SEGMENT_SAMPLE_SIZE),
    reads: {
      tables: ['players'],
      why: 'the ids of all players of the game are numbered, once a minute at most',
      atMost: 'all',
    },
  },
  {
    what: 'the audience of an offer',
    call: async ({ admin, nowMs }) => {
      const rule = 'events["Win"].last7d > 0 && purchases.last28d > 0 && predictions.churn.value > 0.5';
      const segments = [{ segmentId: 'a', name: 'A', rule, visibleToClients: false, priority: 0 }];
      const document = { ...DEFAULT_DOCUMENT, segments };
      const part = { kind: 'segment', id: 'a' } as const;
      const { signal } = new AbortController();
      const ids = await listNewestPlayerIds(admin, gameId, MAX_ROW_ID, 500);
      const sample = { players: ids.length, ids };
      await countAudience(admin, sample, { gameId, document, part, rule: null, nowMs, atMs: nowMs, signal });
    },
    reads: {
      tables: ['players', 'player_days'],
      why: 'the players of a sample are decided for, 500 at a time',
      atMost: 500,
    },
  },
  {
    what: 'the numbers of the players of segments',
    call: async ({ admin, nowMs }) => {
      const ids = await listNewestPlayerIds(admin, gameId, MAX_ROW_ID, 500);
      const sample = { players: ids.length, ids };
      await countSegmentNumbers(admin, gameId, DEFAULT_DOCUMENT, sample, nowMs);
    },
    reads: {
      tables: ['players', 'player_days'],
      why: 'the players of a sample are decided for, 500 at a time',
      atMost: 500,
    },
  },
  {
    what: 'devices and sessions of a player',
    call: async (on) => {
      const before = { createdAtMs: on.nowMs + DAY_MS, sessionId: NO_SESSION };
      await listSessions(on.admin, playerId, before, 50);
      await listDevices(on.admin, playerId, '', 50);
      const revocation = { gameId, playerId, userId, sessionId: WORLD.sessionIds[0] };
      await revokeSessions(on.admin, revocation, { name: 'a test', nowMs: on.nowMs });
      await revokeSessions(on.admin, { ...revocation, sessionId: null }, { name: 'a test', nowMs: on.nowMs });
    },
  },
  {
    what: 'the live tail',
    call: async ({ admin, nowMs }) => {
      const blocks = await listNewestBlocks(admin, gameId, nowMs - DAY_MS, 50);
      await listNewestBlocks(admin, quietGameId, nowMs - DAY_MS, 50);
      await listLiveEvents(admin, gameId, blocks, 50);
    },
  },
  {
    what: 'parts of a timeline',
    call: ({ admin, nowMs }) =>
      snapshot(admin, async (client) => {
        await listBlockHeads(client, playerId, { fromMs: nowMs - DAY_MS, toMs: nowMs }, nowMs, 50);
        await findTransactionEnds(client, playerId, ['transaction-1', 'transaction-2']);
      }),
  },
];

async function timelineOf(pool: Pool, nowMs: number): Promise<void> {
  const player = await findTimelinePlayer(pool, gameId, userId);
  if (player === undefined) throw new Error(`there is no player ${userId}`);
  const filter = { kinds: new Set(TIMELINE_KINDS), eventType: null };
  await timelinePage(pool, { player, filter, from: { ms: nowMs + DAY_MS, shown: 0 }, limit: 50, nowMs });
}
