import { randomUUID } from 'node:crypto';
import {
  findConfigVersion,
  findConfigVersionAt,
  findStoredVersion,
  listConfigVersions,
} from '../../../../src/core/configs/config-queries.js';
import { applyEvents } from '../../../../src/core/events/apply/apply-events.js';
import { failedEvent } from '../../../../src/core/events/failed/failed-event.js';
import { insertFailedEvents } from '../../../../src/core/events/failed/inbox-queries.js';
import { checkEvents } from '../../../../src/core/events/intake/check-events.js';
import { recordsOfPlayer } from '../../../../src/core/events/intake/event-record.js';
import { findRegistry } from '../../../../src/core/events/types/event-type-queries.js';
import { storeExposures } from '../../../../src/core/players/exposure-queries.js';
import { findFacts } from '../../../../src/core/players/facts-queries.js';
import { findPlayerId } from '../../../../src/core/players/player-parameter.js';
import { storeStays } from '../../../../src/core/players/stay-queries.js';
import {
  findCurrentState,
  findModel,
  findState,
  findStateAt,
  listModels,
  listStates,
} from '../../../../src/core/predictions/model-queries.js';
import { listApiKeysOfGame } from '../../../../src/core/sessions/api-key-queries.js';
import {
  deleteSession,
  deleteSessionsOfPlayers,
  findApiKeys,
  findLivePlayers,
  findRefreshRows,
  insertSessions,
  updateRefreshChains,
} from '../../../../src/core/sessions/session-queries.js';
import { findNewestComparison } from '../../../../src/experiments/holdouts/holdout-queries.js';
import {
  findSummedDays,
  listBreakdownDays,
  listBreakdownTotals,
  listNewBuilds,
} from '../../../../src/insight/analytics/breakdowns/breakdown.js';
import { findSumming } from '../../../../src/insight/analytics/breakdowns/days-behind.js';
import { gameDashboard } from '../../../../src/insight/analytics/dashboard.js';
import { listRevenueDays } from '../../../../src/insight/analytics/forecast/revenue-days.js';
import {
  findInstallsSummedAt,
  listInstallCohorts,
  listInstallRevenue,
} from '../../../../src/insight/analytics/installs/install-queries.js';
import {
  listPredictedGames,
  listPredictionHealth,
} from '../../../../src/insight/predictions/daily-queries.js';
import { listGrades } from '../../../../src/insight/predictions/grade-queries.js';
import { findFailure, noteFailure, noteGraded } from '../../../../src/insight/predictions/work-queries.js';
import { listSegmentSizeDays } from '../../../../src/liveops/audiences/segment-size-queries.js';
import { listBuildsInUse } from '../../../../src/liveops/configs/build-queries.js';
import { listPictures } from '../../../../src/liveops/configs/catalogue/picture-queries.js';
import {
  deleteDraftEditor,
  findDraftState,
  listDraftEditors,
  upsertDraftEditor,
} from '../../../../src/liveops/configs/draft-editor-queries.js';
import { findDraftRow } from '../../../../src/liveops/configs/draft-queries.js';
import { listOverrides } from '../../../../src/liveops/players/override-queries.js';
import { listPins } from '../../../../src/liveops/players/pin-queries.js';
import { attachDevice, detachDevice } from '../../../../src/liveops/servers/attach-device.js';
import {
  findPlayersOfGame,
  findUserOfDevice,
  updateAgeGroup,
} from '../../../../src/liveops/servers/served-player-queries.js';
import { findServerKeys, updateKeyUse } from '../../../../src/liveops/servers/server-key-queries.js';
import { findOwners } from '../../../../src/operations/queue/partition-locks.js';
import { findPlayerKeys } from '../../../../src/operations/queue/player-queries.js';
import { insertUnattributed } from '../../../../src/operations/queue/unattributed-queries.js';
import {
  findAuditEntry,
  listAuditEntries,
  listAuditEntriesOfGame,
} from '../../../../src/platform/admin-api/audit-log.js';
import type { Pool } from '../../../../src/platform/db/pool.js';
import { utcDay } from '../../../../src/platform/lib/day.js';
import { hashOfToken } from '../../../../src/platform/lib/secret-token.js';
import { findAccount, findAccountByEmail } from '../../../../src/studio/accounts/account-queries.js';
import { findInvitation, listInvitations } from '../../../../src/studio/accounts/invitation-queries.js';
import { isMemberByEmail, listMembers } from '../../../../src/studio/accounts/member-queries.js';
import { listOwnSessions } from '../../../../src/studio/accounts/own-sessions.js';
import {
  findSignedIn,
  findStudioName,
  listStudiosOfAccount,
} from '../../../../src/studio/admin-api/admin-sessions.js';
import { findAdmin, listAdminTokensOfTenant } from '../../../../src/studio/admin-api/admin-tokens.js';
import {
  countGamesOfTenant,
  findGameOfTenant,
  findListedGame,
  listGamesOfTenant,
} from '../../../../src/studio/admin-api/game-queries.js';
import { type TestEvent, toRecords } from '../../../support/game-world.js';
import { WORLD } from './large-tables.js';
import type { Listed } from './listed-statement.js';

const { gameId, quietGameId, tenantId, playerId, userId, userIds, sessionIds } = WORLD;
/** The fill has an account with the id of each player. */
const draftWindow = { gameId, accountId: userId, windowId: userId };
const REFRESH = { tagKey: Buffer.of(0), currentHash: Buffer.of(0), recent: [] };
const DAY_MS = 86_400_000;
const PAGE = { after: null, limit: 50 };

function eventsOf(nowMs: number): TestEvent[] {
  const timestamp = new Date(nowMs).toISOString();
  return [
    { eventType: 'Level_Start', timestamp, payload: {} },
    { eventType: 'Level_Start', timestamp, payload: {}, eventId: randomUUID() },
    {
      eventType: 'Purchase',
      timestamp,
      payload: { transactionId: 'new', skuId: 's', price: 1, currency: 'USD' },
    },
    { eventType: 'Refund', timestamp, payload: { transactionId: 'transaction-1' } },
  ];
}

async function insertSessionOf(pool: Pool, token: string): Promise<void> {
  await pool.query(
    `insert into account_sessions (token_hash, account_id, created_at, seen_at, expires_at)
     values ($1, $2, now(), now(), now() + interval '1 day') on conflict do nothing`,
    [hashOfToken(token), WORLD.userId],
  );
}

/**
 * Every statement that is prepared under a name, by that name. One that is missing here fails the test that reads the source.
 */
export const PREPARED_STATEMENTS: readonly Listed[] = [
  {
    what: 'find_admin_token',
    call: ({ admin, nowMs }) =>
      findAdmin(admin, `sp_admin_${'1'.padStart(16, '0')}_${'x'.repeat(43)}`, nowMs),
  },
  {
    what: 'find_admin_session and update_admin_session_seen',
    call: async ({ admin, nowMs }) => {
      // The token whose hash is that of a session in the fill cannot be known: one is put there.
      const token = 'x'.repeat(43);
      await insertSessionOf(admin, token);
      await findSignedIn(admin, token, { tenant: undefined, nowMs: nowMs + 2 * 3_600_000 });
      await findSignedIn(admin, token, { tenant: WORLD.tenant, nowMs });
    },
  },
  { what: 'list_studios_of_account', call: ({ admin }) => listStudiosOfAccount(admin, WORLD.userId) },
  { what: 'find_studio_name', call: ({ admin }) => findStudioName(admin, tenantId) },
  { what: 'find_account_by_email', call: ({ admin }) => findAccountByEmail(admin, 'a-1@b') },
  { what: 'find_account', call: ({ admin }) => findAccount(admin, WORLD.userId) },
  { what: 'list_members', call: ({ admin }) => listMembers(admin, tenantId, PAGE) },
  { what: 'is_member_by_email', call: ({ admin }) => isMemberByEmail(admin, tenantId, 'a-3@b') },
  {
    what: 'list_own_sessions',
    call: ({ admin, nowMs }) =>
      listOwnSessions(admin, WORLD.userId, { after: { at: nowMs, id: 'ff' }, limit: 10 }, nowMs),
  },
  { what: 'list_invitations', call: ({ admin, nowMs }) => listInvitations(admin, tenantId, PAGE, nowMs) },
  { what: 'find_invitation', call: ({ admin, nowMs }) => findInvitation(admin, '1', nowMs) },
  {
    what: 'list_admin_tokens_of_tenant',
    call: ({ admin }) => listAdminTokensOfTenant(admin, tenantId, PAGE),
  },
  { what: 'list_api_keys_of_game', call: ({ admin }) => listApiKeysOfGame(admin, gameId, PAGE) },
  { what: 'find_game_of_tenant', call: ({ admin }) => findGameOfTenant(admin, tenantId, WORLD.game) },
  { what: 'list_games_of_tenant', call: ({ admin }) => listGamesOfTenant(admin, tenantId, PAGE) },
  { what: 'find_listed_game', call: ({ admin }) => findListedGame(admin, gameId) },
  { what: 'count_games_of_tenant', call: ({ admin }) => countGamesOfTenant(admin, tenantId, 100) },
  {
    what: 'list_audit_entries',
    call: async ({ admin }) => {
      await listAuditEntries(admin, tenantId, { beforeId: null, limit: 50 });
      await listAuditEntries(admin, tenantId, { beforeId: '10000', limit: 50 });
    },
  },
  {
    what: 'list_audit_entries_of_game',
    call: async ({ admin }) => {
      await listAuditEntriesOfGame(admin, gameId, { beforeId: '10000', limit: 50 });
      await listAuditEntriesOfGame(admin, quietGameId, { beforeId: null, limit: 50 });
    },
  },
  { what: 'find_audit_entry', call: ({ admin }) => findAuditEntry(admin, tenantId, '1') },
  { what: 'find_draft_row', call: ({ admin }) => findDraftRow(admin, gameId) },
  { what: 'find_draft_state', call: ({ admin }) => findDraftState(admin, gameId) },
  {
    what: 'upsert_draft_editor',
    call: ({ admin, nowMs }) =>
      upsertDraftEditor(admin, draftWindow, { nowMs, changedAt: null, expiresAt: nowMs + 1000 }),
  },
  {
    what: 'list_draft_editors',
    call: ({ admin, nowMs }) => listDraftEditors(admin, { gameId, tenantId }, nowMs),
  },
  { what: 'delete_draft_editor', call: ({ admin }) => deleteDraftEditor(admin, draftWindow) },
  { what: 'find_config_version', call: ({ service }) => findConfigVersion(service, gameId, 1_001) },
  { what: 'find_stored_version', call: ({ service }) => findStoredVersion(service, gameId, 1_001) },
  { what: 'find_config_version_at', call: ({ admin, nowMs }) => findConfigVersionAt(admin, gameId, nowMs) },
  {
    what: 'list_config_versions',
    call: ({ admin }) => listConfigVersions(admin, gameId, { before: null, limit: 50 }),
  },
  {
    what: 'list_sku_pictures',
    call: ({ admin }) => listPictures(admin, gameId, { after: '', limit: 50 }),
  },
  {
    what: 'list_segment_size_days',
    call: ({ admin }) => listSegmentSizeDays(admin, gameId, '2020-01-01'),
  },
  {
    what: 'list_prediction_models',
    call: ({ admin }) => listModels(admin, gameId, { before: null, limit: 50 }),
  },
  { what: 'find_prediction_model', call: ({ service }) => findModel(service, gameId, 100) },
  { what: 'find_prediction_state', call: ({ service }) => findState(service, gameId, 100) },
  { what: 'find_current_prediction_state', call: ({ admin }) => findCurrentState(admin, gameId) },
  { what: 'find_prediction_state_at', call: ({ admin, nowMs }) => findStateAt(admin, gameId, nowMs) },
  { what: 'list_prediction_states', call: ({ admin }) => listStates(admin, gameId, 50) },
  {
    what: 'list_prediction_grades',
    call: async ({ admin }) => {
      const page = { sinceDay: '2020-01-01', limit: 50 };
      await listGrades(admin, gameId, page);
      const after = { day: '2026-01-01', model: 'activity', modelVersion: 3 } as const;
      await listGrades(admin, gameId, { ...page, model: 'activity', after });
    },
  },
  {
    what: 'list_predicted_games',
    call: ({ admin }) => listPredictedGames(admin),
    reads: {
      tables: ['games'],
      why: 'once an hour, all games are asked whether they are due',
      atMost: 'all',
    },
  },
  { what: 'find_prediction_failure', call: ({ admin }) => findFailure(admin, gameId) },
  {
    what: 'note_graded, note_prediction_failure',
    call: async ({ admin, nowMs }) => {
      await noteGraded(admin, gameId, '2020-01-01');
      await noteFailure(admin, { gameId, failure: 'a reason' }, nowMs);
    },
  },
  {
    what: 'list_prediction_health',
    call: ({ admin }) => listPredictionHealth(admin, 200),
    reads: { tables: ['games'], why: 'the metrics tell of all games that have a model', atMost: 'all' },
  },
  { what: 'find_registry', call: ({ service }) => findRegistry(service, gameId) },
  {
    what: 'game_dashboard_days, game_dashboard_cohorts',
    call: ({ admin, nowMs }) => {
      const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
      return gameDashboard(admin, gameId, day(nowMs - 30 * DAY_MS), day(nowMs), nowMs);
    },
  },
  {
    what: 'list_breakdown_days, list_breakdown_totals, list_new_builds, list_builds_in_use, find_summed_days, find_summing, find_newest_comparison',
    call: async ({ admin, nowMs }) => {
      const span = { from: utcDay(nowMs - 30 * DAY_MS), to: utcDay(nowMs) };
      await listBreakdownDays(admin, gameId, 'country', span);
      await listBreakdownTotals(admin, gameId, 'country', span);
      await listNewBuilds(admin, gameId, span);
      await listBuildsInUse(admin, gameId, nowMs);
      await findSummedDays(admin, gameId, span);
      await findSumming(admin, gameId, span, nowMs);
      await findNewestComparison(admin, gameId);
    },
  },
  {
    what: 'list_install_cohorts, list_install_revenue, find_installs_summed_at',
    call: async ({ admin, nowMs }) => {
      const days = { from: utcDay(nowMs - 90 * DAY_MS), to: utcDay(nowMs) };
      const span = { ...days, dimension: 'country', period: 'week' } as const;
      await listInstallCohorts(admin, gameId, span);
      await listInstallRevenue(admin, gameId, span);
      await findInstallsSummedAt(admin, gameId);
    },
  },
  { what: 'list_revenue_days', call: ({ admin, nowMs }) => listRevenueDays(admin, gameId, nowMs) },
  { what: 'find_player_id', call: ({ admin }) => findPlayerId(admin, gameId, WORLD.userId) },
  {
    what: 'list_overrides',
    call: ({ admin }) =>
      listOverrides(admin, playerId, { limit: 50, after: { isCleared: true, id: '10000' } }),
  },
  {
    what: 'list_pins',
    call: ({ admin }) => listPins(admin, playerId, { limit: 50, after: { isCleared: true, id: '10000' } }),
  },
  {
    what: 'store_stays',
    call: ({ service, nowMs }) =>
      storeStays(
        service,
        ['1', '2'].map((player) => ({
          playerId: player,
          atMs: nowMs,
          changes: [
            { segmentId: 'leaving', thresholds: '', isInside: false, value: 0 },
            { segmentId: 'other', thresholds: '', isInside: true, value: 1 },
          ],
        })),
      ),
  },
  {
    what: 'store_exposures, and those of players who were told another arm',
    call: async ({ service, nowMs }) => {
      const experiments = ['price_test', 'other'];
      for (const variantId of ['b', 'a'])
        await storeExposures(
          service,
          ['1', '2'].map((player) => ({
            playerId: player,
            atMs: nowMs,
            forecast: [0.1, null, 2.5],
            segments: ['payers'],
            arms: experiments.map((experimentId) => ({ experimentId, seed: '1', variantId })),
          })),
        );
    },
  },
  { what: 'find_facts', call: ({ service, nowMs }) => findFacts(service, ['1', '2'], nowMs) },
  { what: 'find_server_keys', call: ({ service }) => findServerKeys(service, ['key-1', 'key-2']) },
  {
    what: 'update_key_use',
    call: ({ service, nowMs }) => updateKeyUse(service, 'key-1', { usedAt: nowMs, address: '::1' }),
  },
  { what: 'find_players_of_game', call: ({ service }) => findPlayersOfGame(service, gameId, userIds) },
  {
    what: 'find_user_of_device',
    call: ({ service }) =>
      findUserOfDevice(service, { gameId, deviceId: 'device-1', forgottenId: 'forgotten' }),
  },
  {
    what: 'update_age_group',
    call: ({ service, nowMs }) => updateAgeGroup(service, gameId, userId, 'teen', nowMs),
  },
  {
    what: 'devices that are attached to players',
    call: async ({ service, nowMs }) => {
      for (const deviceId of ['device-1', 'never seen']) {
        const place = { gameId, deviceId, forgottenId: 'forgotten' };
        await attachDevice(service, place, userIds[1] ?? '', nowMs);
        await detachDevice(service, place);
      }
    },
  },
  { what: 'find_api_keys', call: ({ service }) => findApiKeys(service, ['key-1', 'key-2']) },
  {
    what: 'insert_sessions',
    call: ({ service, nowMs }) =>
      insertSessions(
        service,
        ['device-1', 'device-2', 'a new device'].map((deviceId) => ({
          sessionId: randomUUID(),
          userIdIfNew: randomUUID(),
          gameId,
          deviceId,
          forgottenId: 'forgotten',
          keyId: 'key-1',
          createdAt: nowMs,
          expiresAt: nowMs + DAY_MS,
          refresh: REFRESH,
        })),
      ),
  },
  { what: 'find_live_players', call: ({ service }) => findLivePlayers(service, [...sessionIds]) },
  { what: 'find_refresh_rows', call: ({ service }) => findRefreshRows(service, [...sessionIds]) },
  {
    what: 'update_refresh_chains',
    call: ({ service, nowMs }) =>
      updateRefreshChains(
        service,
        sessionIds.map((sessionId) => ({
          sessionId,
          previousHash: Buffer.alloc(0),
          next: REFRESH,
          expiresAt: nowMs + DAY_MS,
        })),
      ),
  },
  { what: 'delete_session', call: ({ service }) => deleteSession(service, sessionIds[0]) },
  { what: 'delete_sessions_of_players', call: ({ service }) => deleteSessionsOfPlayers(service, [playerId]) },
  {
    what: 'lock_players, find_identities, insert_identities, insert_blocks, fold_events, and those of transactions',
    call: ({ service, nowMs }) =>
      applyEvents(
        service,
        toRecords({ playerId, gameId, userId: WORLD.userId, createdAt: 0 }, eventsOf(nowMs), nowMs),
      ),
  },
  {
    what: 'find_sequences, upsert_installs and replace_gaps',
    call: async ({ service, nowMs }) => {
      const source = { installId: 'install', clientBuild: null };
      const numbered = (sequences: readonly number[]) => {
        const events = sequences.map((seq) => ({ ...eventsOf(nowMs)[0], seq }));
        const whose = { userId: WORLD.userId, installId: source.installId };
        const checked = checkEvents({ events, bytes: 0, suspicious: false }, whose, nowMs);
        return recordsOfPlayer(checked.events, { playerId, gameId }, source);
      };
      await applyEvents(service, numbered([1, 7, 8]));
      await applyEvents(service, numbered([9]));
    },
  },
  {
    what: 'activate_players',
    call: ({ service, nowMs }) => {
      const running = {
        playerId,
        gameId,
        activatedExperiments: [['price_test', '1', 'Store_View']] as const,
      };
      const events = [{ ...eventsOf(nowMs)[0], eventType: 'Store_View' }];
      const whose = { userId: WORLD.userId };
      const checked = checkEvents({ events, bytes: 0, suspicious: false }, whose, nowMs);
      return applyEvents(service, recordsOfPlayer(checked.events, running));
    },
  },
  {
    what: 'insert_failed_events',
    call: ({ service, nowMs }) =>
      insertFailedEvents(
        service,
        userIds.map((userId) => ({
          userId,
          receivedAtMs: nowMs,
          clientBuild: null,
          failures: [
            failedEvent({
              ordinal: 0,
              eventType: 'A',
              event: {},
              raw: '{}',
              code: 'event_invalid',
              message: '',
              path: '',
            }),
          ],
        })),
        { maxEntries: 1_000_000, maxBytes: 1_000_000_000, maxEntriesOfPlayer: 100 },
      ),
  },
  { what: 'find_player_keys', call: ({ service }) => findPlayerKeys(service, userIds) },
  { what: 'find_owners', call: ({ admin }) => findOwners(admin, 'stream') },
  {
    what: 'insert_unattributed',
    call: ({ service, nowMs }) =>
      insertUnattributed(service, [
        { code: 'player_unknown', message: '', eventType: null, raw: '{}', receivedAtMs: nowMs },
      ]),
  },
];
