import { generateKeyPairSync } from 'node:crypto';
import { transaction } from '../../../../src/platform/db/pool.js';
import { createErasureHashes } from '../../../../src/platform/security/erasure-hashes.js';
import { hasDueErasures } from '../../../../src/trust/erasures/begin-queries.js';
import {
  findPageGame,
  findPlayerOfCode,
  upsertErasureCode,
} from '../../../../src/trust/erasures/code-queries.js';
import { listErasedHashes } from '../../../../src/trust/erasures/erased-players.js';
import { countOpenErasures } from '../../../../src/trust/erasures/erasure-metrics.js';
import {
  findErasure,
  listErasures,
  listErasuresByHash,
  previewErasure,
} from '../../../../src/trust/erasures/erasure-queries.js';
import {
  deleteDeadLetters,
  insertListedErasures,
  listDoneErasures,
  listPlayersAfter,
  listUnknownPlayers,
} from '../../../../src/trust/erasures/list-queries.js';
import { requestErasure, withdrawErasure } from '../../../../src/trust/erasures/request-erasure.js';
import { findErasureOfPlayer } from '../../../../src/trust/erasures/request-queries.js';
import { runErasures } from '../../../../src/trust/erasures/run-erasures.js';
import { testMasterKeys } from '../../../support/harness.js';
import { WORLD } from './large-tables.js';
import type { Installation, Listed } from './listed-statement.js';

const { gameId, playerId } = WORLD;
/** Without a request. */
const [, , userId] = WORLD.userIds;
const ERASURE_ID = '00000003-0000-4000-8000-000000000001';
const NO_UUID = '00000000-0000-0000-0000-000000000000';
const masterKeys = testMasterKeys();
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const hashesOf = ({ admin }: Installation) => createErasureHashes(admin, async () => masterKeys)();

export const ERASURE_STATEMENTS: readonly Listed[] = [
  {
    what: 'requests of erasures',
    async call(installation) {
      const hashes = await hashesOf(installation);
      const actor = { name: 'a test', nowMs: installation.nowMs };
      for (const pool of [installation.service, installation.admin]) {
        const erasure = await requestErasure(pool, hashes, { gameId, userId, by: actor });
        await withdrawErasure(pool, gameId, erasure?.erasureId ?? '', actor);
      }
    },
  },
  {
    what: 'find_erasure_of_player',
    call: ({ service }) => transaction(service, (client) => findErasureOfPlayer(client, playerId)),
  },
  {
    what: 'upsert_erasure_code',
    call: ({ service, nowMs }) =>
      upsertErasureCode(service, { playerId, codeHash: Buffer.alloc(32), nowMs, expiresAt: nowMs }),
  },
  {
    what: 'find_player_of_code',
    call: ({ service, nowMs }) => findPlayerOfCode(service, gameId, Buffer.alloc(4, 1), nowMs),
  },
  { what: 'find_page_game', call: ({ service }) => findPageGame(service, 'tenant', 'game') },
  {
    what: 'list_erasures',
    call: ({ admin }) => listErasures(admin, gameId, { after: undefined, limit: 20 }),
  },
  {
    what: 'list_erasures_by_hash',
    call: ({ admin }) => listErasuresByHash(admin, gameId, [Buffer.alloc(32)]),
  },
  { what: 'find_erasure', call: ({ admin }) => findErasure(admin, gameId, ERASURE_ID) },
  { what: 'preview_erasure', call: ({ admin }) => previewErasure(admin, playerId) },
  { what: 'count_open_erasures', call: ({ admin, nowMs }) => countOpenErasures(admin, nowMs) },
  { what: 'has_due_erasures', call: ({ admin, nowMs }) => hasDueErasures(admin, nowMs) },
  { what: 'list_done_erasures', call: ({ admin }) => listDoneErasures(admin, NO_UUID, 10) },
  { what: 'list_unknown_players', call: ({ admin }) => listUnknownPlayers(admin, '0', 10) },
  { what: 'delete_dead_letters', call: ({ admin }) => deleteDeadLetters(admin, ['0']) },
  { what: 'list_players_after', call: ({ admin }) => listPlayersAfter(admin, '0', 10) },
  { what: 'list_erased_hashes', call: ({ service }) => listErasedHashes(service, [Buffer.alloc(32)]) },
  {
    what: 'insert_listed_erasures',
    call: ({ admin, nowMs }) =>
      insertListedErasures(admin, [
        { erasureId: userId, gameId, playerHash: Buffer.alloc(32), erasedAt: nowMs },
      ]),
  },
  {
    what: 'erasures',
    async call(installation) {
      const { admin, nowMs } = installation;
      const hashes = await hashesOf(installation);
      const signer = { issuer: '', current: () => ({ kid: '', privateKey }) };
      await admin.query(`update erasures set state = 'waiting' where id = $1`, [ERASURE_ID]);
      await admin.query(
        `insert into audit_log (game_id, at, actor, action, target, after)
         values ($1, now(), '', 'event_files.ask', '', json_build_object('sql', $2::text))`,
        [gameId, WORLD.userIds[0]],
      );
      // A store has said something of one of the purchases.
      await admin.query(
        `update transactions set store = 'apple', claimed_at = now(), notice_at = now(), notice_share = 1
         where player_id in (select player_id from erasures where id = $1)`,
        [ERASURE_ID],
      );
      await runErasures({ pool: admin, hashes, signer, now: () => nowMs, rests: false });
    },
    reads: {
      tables: ['event_identities', 'failed_events'],
      why: 'Identities have no index by player: all pages are read, some at a time. Dead letters of no player are read for the ids in their texts.',
      atMost: 'all',
    },
  },
];
