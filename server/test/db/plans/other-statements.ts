import { pino } from 'pino';
import { type Pool, transaction } from '../../../src/db/pool.js';
import {
  addMember,
  changePassword,
  createSignInLink,
  resetAccount,
  signOutEverywhere,
} from '../../../src/features/accounts/account-changes.js';
import { deleteExpiredAccess } from '../../../src/features/accounts/account-expiry.js';
import {
  type AccountRow,
  findAccountByEmail,
  updateOutdatedHash,
} from '../../../src/features/accounts/account-queries.js';
import { findInvitation } from '../../../src/features/accounts/invitation-queries.js';
import { acceptInvitation, invite, revokeInvitation } from '../../../src/features/accounts/invitations.js';
import { listAccounts } from '../../../src/features/accounts/member-queries.js';
import { changeRole, removeMember } from '../../../src/features/accounts/members.js';
import {
  confirmSecondFactor,
  endSecondFactor,
  startSecondFactor,
  useSecondFactorCode,
} from '../../../src/features/accounts/second-factor.js';
import { secondFactorBinding } from '../../../src/features/accounts/second-factor-binding.js';
import { signInByLink } from '../../../src/features/accounts/sign-in-links.js';
import {
  countMissingEvents,
  countRefusedEvents,
  countStoredEvents,
  findPlayerTotals,
  sumStoredRevenue,
} from '../../../src/features/analytics/device-totals.js';
import { exportEvents } from '../../../src/features/analytics/export-events.js';
import { estimateEvents, findDeletedBefore } from '../../../src/features/analytics/export-queries.js';
import { recountGame } from '../../../src/features/analytics/recount.js';
import { dryRun } from '../../../src/features/dry-runs/dry-run.js';
import { compactEvents } from '../../../src/features/events/compact-events.js';
import { countDaysToCompact, listStuckDays } from '../../../src/features/events/compact-queries.js';
import { closedBefore, dayTable } from '../../../src/features/events/event-partitions.js';
import {
  findFailedEvent,
  listFailedEvents,
  listFailedGroups,
} from '../../../src/features/events/failed/failed-event-queries.js';
import { replayFailedEvent, replayFailedGroup } from '../../../src/features/events/failed/replay.js';
import { updateReasons } from '../../../src/features/events/failed/replay-queries.js';
import { countLosses, listLosses } from '../../../src/features/events/losses.js';
import { estimateOldEvents } from '../../../src/features/events/move-old-queries.js';
import {
  findEventType,
  insertEventType,
  listEventTypes,
  retireEventType,
} from '../../../src/features/events/types/event-type-queries.js';
import { createRegistries } from '../../../src/features/events/types/registries.js';
import { listSentTypes } from '../../../src/features/events/types/sent-types.js';
import { findPlayerAt } from '../../../src/features/explanations/explained-player.js';
import { discardDraft, publishDraft, saveDraft } from '../../../src/features/game-configs/draft.js';
import { createMaintenance } from '../../../src/features/lifecycle/maintenance.js';
import { createMaintenanceMetrics } from '../../../src/features/lifecycle/maintenance-metrics.js';
import { runRetention } from '../../../src/features/lifecycle/retention.js';
import { clearOverride, setOverride } from '../../../src/features/players/overrides.js';
import { insertGrade } from '../../../src/features/predictions/grade-queries.js';
import { rollBackModel } from '../../../src/features/predictions/roll-back-model.js';
import { trainGame } from '../../../src/features/predictions/train-game.js';
import { resealAll } from '../../../src/features/sessions/reseal-secrets.js';
import { revokeSigningKey, rotateSigningKey } from '../../../src/features/sessions/signing-key-changes.js';
import { deleteAdminSession, insertAdminSession } from '../../../src/features/studios/admin-sessions.js';
import {
  createAdminToken,
  listAdminTokens,
  revokeAdminToken,
} from '../../../src/features/studios/admin-tokens.js';
import { apiKeyBinding, findUsableKey, listApiKeys } from '../../../src/features/studios/api-keys.js';
import { findAuditRow, listAuditLines } from '../../../src/features/studios/audit-overview.js';
import { createApiKey, revokeApiKey, rotateApiKey } from '../../../src/features/studios/key-changes.js';
import { createGame, updateGameSettings } from '../../../src/features/studios/tenant-changes.js';
import { findGame, listGames, listTenants } from '../../../src/features/studios/tenants.js';
import { utcDay } from '../../../src/lib/day.js';
import { createFairSemaphore } from '../../../src/lib/fair-semaphore.js';
import { hashOfToken } from '../../../src/lib/secret-token.js';
import { codeAt, stepAt } from '../../../src/lib/totp.js';
import { DEFAULT_DOCUMENT } from '../../../src/personalisation/document/default-document.js';
import { measureProbabilities } from '../../../src/personalisation/predict/metrics.js';
import {
  generateMasterKey,
  type MasterKeys,
  parseMasterKeys,
  seal,
} from '../../../src/security/master-keys.js';
import { listSealedSecrets } from '../../../src/security/sealed-secrets.js';
import { WORLD } from './large-tables.js';
import type { Installation, Listed } from './listed-statement.js';

const { gameId, tenantId, tenant, game, userId } = WORLD;
const DAY_MS = 86_400_000;
const GROUP = { gameId, code: 'event_invalid' };

const actorAt = ({ nowMs }: Installation) => ({ name: 'a test', nowMs });

/** Statements without a name, all of which PostgreSQL plans for every call: the admin API, commands and hourly work. */
export const OTHER_STATEMENTS: readonly Listed[] = [
  {
    what: 'what the service has of simulated players',
    call: async ({ admin }) => {
      await findUsableKey(admin, gameId, 'development');
      const devices = { gameId, deviceIds: ['d-1', 'd-2'] };
      await findPlayerTotals(admin, devices);
      await countStoredEvents(admin, devices);
      await sumStoredRevenue(admin, devices);
      await countRefusedEvents(admin, devices);
      await countMissingEvents(admin, devices);
    },
  },
  {
    what: 'admin tokens',
    call: async (on) => {
      const token = { tenantId, name: '', role: 'owner', expiresAt: null } as const;
      const { tokenId } = await createAdminToken(on.admin, token, actorAt(on));
      await revokeAdminToken(on.admin, tokenId, actorAt(on));
    },
  },
  {
    what: 'the list of admin tokens',
    call: ({ admin }) => listAdminTokens(admin, tenant),
    reads: { tables: ['admin_tokens'], why: 'a command lists all tokens of a studio', atMost: 'all' },
  },
  {
    what: 'accounts, their sessions and links',
    call: async (on) => {
      const { admin, nowMs } = on;
      const actor = actorAt(on);
      const linkExpiresAt = nowMs + DAY_MS;
      const member = { email: 'a-1@b', name: 'N', role: 'owner', tenantId, linkExpiresAt } as const;
      const added = await addMember(admin, member, actor);
      if (added.outcome !== 'added' || added.token === null) throw new Error('there is such a member');
      await signInByLink(admin, added.token, nowMs);
      const account = await accountOf(admin);
      await changePassword(admin, account, 'hash', Buffer.of(1), actor);
      await updateOutdatedHash(admin, account.accountId, 'hash', 'another');
      await createSignInLink(admin, account, linkExpiresAt, actor);
      const session = await insertAdminSession(admin, { ...account, passwordHash: 'another' }, nowMs);
      await deleteAdminSession(admin, hashOfToken(session?.token ?? ''));
      await signOutEverywhere(admin, account, actor);
      await resetAccount(admin, 'a-1@b', linkExpiresAt, actor);
    },
  },
  {
    what: 'second factors',
    call: async (on) => {
      const { admin, nowMs } = on;
      const keys = masterKeys(generateMasterKey());
      const account = await accountOf(admin);
      const { accountId } = account;
      await startSecondFactor(admin, keys, account);
      const secret = Buffer.alloc(20);
      const sealed = seal(keys, secret, secondFactorBinding(accountId));
      await admin.query('update accounts set second_factor_pending = $2 where id = $1', [accountId, sealed]);
      const step = stepAt(nowMs);
      await confirmSecondFactor(admin, keys, account, codeAt(secret, step), actorAt(on));
      await useSecondFactorCode(admin, keys, accountId, { sealed, code: codeAt(secret, step + 1), nowMs });
      await endSecondFactor(admin, account, actorAt(on));
    },
  },
  {
    what: 'members and invitations',
    call: async (on) => {
      const { admin, nowMs } = on;
      const actor = actorAt(on);
      const { accountId } = await accountOf(admin);
      await changeRole(admin, { tenantId, accountId }, 'viewer', actor);
      await removeMember(admin, { tenantId, accountId }, actor);
      const invited = await invite(admin, { tenantId, email: 'invited@b', role: 'viewer' }, actor);
      const { token = '' } = invited ?? {};
      const invitation = await findInvitation(admin, token, nowMs);
      if (invitation === undefined) throw new Error('there is no invitation');
      await acceptInvitation(admin, invitation, token, { account: await accountOf(admin, 'a-2@b') }, nowMs);
      await revokeInvitation(admin, { tenantId, invitationId: WORLD.userId }, actor);
    },
  },
  {
    what: 'the end of sessions, links and invitations',
    call: ({ admin, nowMs }) => deleteExpiredAccess(admin, nowMs),
  },
  {
    what: 'the list of accounts',
    call: async ({ admin }) => {
      await listAccounts(admin);
      await listAccounts(admin, tenant);
    },
    reads: { tables: ['accounts', 'studio_members'], why: 'a command lists all there are', atMost: 'all' },
  },
  {
    what: 'games and their settings',
    call: async (on) => {
      await createGame(on.admin, { tenant, slug: 'another', name: '' }, actorAt(on));
      await findGame(on.admin, tenant, game);
      await findDeletedBefore(on.admin, gameId);
      await updateGameSettings(
        on.admin,
        WORLD.quietGameId,
        { name: 'Quiet', retentionDays: 20, unregisteredTypes: 'hold' },
        actorAt(on),
      );
    },
  },
  {
    what: 'API keys',
    call: async (on) => {
      const keys = masterKeys(generateMasterKey());
      const place = { tenant, game, environment: 'production', label: '' } as const;
      const created = await createApiKey(on.admin, keys, place, actorAt(on));
      const rotated = await rotateApiKey(on.admin, keys, created?.keyId ?? '', actorAt(on), {
        overlapMs: 1_000,
      });
      await revokeApiKey(on.admin, rotated?.keyId ?? '', { endSessions: true }, actorAt(on));
    },
  },
  {
    what: 'the lists of studios, games and API keys',
    call: async ({ admin }) => {
      await listTenants(admin);
      await listGames(admin);
      await listGames(admin, tenant);
      await listApiKeys(admin, tenant, game);
    },
    reads: { tables: ['api_keys', 'games'], why: 'commands list all there are', atMost: 'all' },
  },
  {
    what: 'a change of the master key',
    call: async (on) => {
      const [old, fresh] = [generateMasterKey(), generateMasterKey()];
      await sealAll(on.admin, masterKeys(old));
      await listSealedSecrets(on.admin);
      await resealAll(on.admin, masterKeys(`${fresh},${old}`), actorAt(on));
    },
    reads: {
      tables: ['api_keys', 'games', 'accounts'],
      why: 'every sealed secret is looked at',
      atMost: 'all',
    },
  },
  {
    what: 'a change of the signing keys',
    call: async (on) => {
      const keys = masterKeys(generateMasterKey());
      const { kid } = await rotateSigningKey(on.admin, keys, actorAt(on), { immediately: true });
      await revokeSigningKey(on.admin, keys, kid, actorAt(on));
    },
    reads: { tables: ['games'], why: 'every game is told that the keys have changed', atMost: 'all' },
  },
  {
    what: 'event types',
    call: async (on) => {
      const { admin } = on;
      await insertEventType(admin, { gameId, eventType: 'another', schemaText: '{}' }, actorAt(on));
      await retireEventType(admin, gameId, 'another', actorAt(on));
      await findEventType(admin, gameId, 'another');
      await findEventType(admin, gameId, 'another', 1);
      await listEventTypes(admin, gameId);
    },
  },
  {
    what: 'drafts and publications',
    call: async (on) => {
      const save = { gameId, document: { ...DEFAULT_DOCUMENT, segments: [] } };
      await saveDraft(on.admin, { ...save, revision: 1 }, actorAt(on));
      await discardDraft(on.admin, { gameId, revision: 2 }, actorAt(on));
      await saveDraft(on.admin, { ...save, revision: 3 }, actorAt(on));
      await publishDraft(on.admin, { gameId, revision: 4, note: '' }, actorAt(on));
    },
  },
  {
    what: 'overrides of flags',
    call: async (on) => {
      const place = { gameId, userId, flagId: 'isPayer' };
      await setOverride(on.admin, { ...place, value: true, reason: '', until: null }, actorAt(on));
      await clearOverride(on.admin, place, actorAt(on));
    },
  },
  {
    what: 'the audit log of the installation',
    call: async ({ admin }) => {
      await listAuditLines(admin, { limit: 50 });
      await listAuditLines(admin, { installationOnly: true, limit: 50 });
      await listAuditLines(admin, { tenantId, beforeId: '10000', limit: 50 });
      await findAuditRow(admin, '1');
    },
  },
  {
    what: 'the audit log of the installation, of one game',
    call: ({ admin }) => listAuditLines(admin, { tenantId, gameId: WORLD.quietGameId, limit: 50 }),
    reads: {
      tables: ['audit_log'],
      why: 'a command for operators takes any filter; with old statistics it goes back through all entries, for 5 s at the most',
      atMost: 'all',
    },
  },
  {
    what: 'single failed events',
    call: async (on) => {
      const { admin } = on;
      await listFailedEvents(admin, GROUP, { limit: 20 });
      await listFailedEvents(admin, { ...GROUP, eventType: null }, { limit: 20, beforeId: '10000' });
      await findFailedEvent(admin, '1');
      await updateReasons(admin, [{ id: '1', code: 'event_invalid', message: 'new', path: '' }]);
      await replayFailedEvent({ pool: admin, registries: createRegistries(admin) }, '1', {
        actor: actorAt(on),
      });
    },
  },
  {
    what: 'groups of failed events',
    call: async (on) => {
      const { admin } = on;
      await listFailedGroups(admin);
      await listFailedGroups(admin, gameId);
      await replayFailedGroup({ pool: admin, registries: createRegistries(admin) }, GROUP, {
        actor: actorAt(on),
      });
    },
    reads: {
      tables: ['failed_events'],
      why: 'groups are counted; a game has 100,000 open entries at the most',
      atMost: 'all',
    },
  },
  {
    what: 'what is known of a player now',
    call: ({ admin, url, nowMs }) => explainAt(admin, url, userId, nowMs, nowMs),
  },
  {
    what: 'what was known of a player',
    call: async ({ admin, url, nowMs }) => {
      await explainAt(admin, url, WORLD.userIds[1], nowMs - 1, nowMs);
      await explainAt(admin, url, WORLD.userIds[2], nowMs - 1, nowMs);
    },
    reads: {
      tables: ['old_events', 'players', 'games', 'flag_overrides'],
      why: 'events of the former layout are kept by their time; all else is read from temporary tables that hold what belongs to the player',
      atMost: 'all',
    },
  },
  {
    what: 'a dry run',
    call: async ({ admin, nowMs }) => {
      const run = { gameId, before: { ...DEFAULT_DOCUMENT, segments: [] }, after: DEFAULT_DOCUMENT, nowMs };
      await dryRun(admin, run);
      await dryRun(admin, { ...run, sample: 1 });
      const name = 'Leaving';
      const rule = 'predictions.churn.value > 0.7';
      const segments = [{ segmentId: 'leaving', name, rule, visibleToClients: false, priority: 0 }];
      await dryRun(admin, { ...run, after: { ...DEFAULT_DOCUMENT, segments } });
    },
    reads: {
      tables: ['players', 'player_days'],
      why: 'all players of the game, 5,000 at a time',
      atMost: 'all',
    },
  },
  {
    what: 'a training and a way back',
    call: async (on) => {
      await trainGame(on.admin, { gameId, actor: actorAt(on) });
      await rollBackModel(on.admin, { gameId, version: 100 }, actorAt(on));
      await insertGradeOf(on);
    },
    reads: {
      tables: ['players', 'player_days', 'prediction_models', 'prediction_states', 'prediction_grades'],
      why: 'all players of the game are counted; then the days of a sample are read, each player by index; of trainings, what is kept of one game',
      atMost: 'all',
    },
  },
  {
    what: 'an export',
    call: async ({ admin, nowMs }) => {
      const span = { from: iso(nowMs - DAY_MS), to: iso(nowMs + DAY_MS) };
      const target = { write: async () => {}, pause: async () => {}, finish: async () => {} };
      await estimateEvents(admin, gameId, span);
      await exportEvents(admin, { gameId, span, format: 'ndjson', target, after: null });
    },
    reads: {
      tables: ['event_blocks', 'old_events'],
      why: 'all events of a span, 2,000 at a time from where the last page ended',
      atMost: 2_001,
    },
  },
  {
    what: 'types that were sent',
    call: ({ admin, nowMs }) => listSentTypes(admin, gameId, nowMs),
    reads: { tables: ['game_event_types'], why: 'the days of one game since 28 days ago', atMost: 'all' },
  },
  {
    what: 'lost events, and events of the former layout',
    call: async ({ admin, nowMs }) => {
      const span = { sinceMs: nowMs - DAY_MS, untilMs: nowMs + DAY_MS };
      await listLosses(admin, gameId, span);
      await countLosses(admin, span);
      await estimateOldEvents(admin);
    },
    reads: { tables: ['event_gaps', 'games'], why: 'all gaps of a span of days are added up', atMost: 'all' },
  },
  {
    what: 'a check of the roll-ups',
    call: ({ admin }) => recountGame(admin, gameId),
    reads: {
      tables: [
        'event_blocks',
        'old_events',
        'transactions',
        'players',
        'player_days',
        'game_days',
        'game_event_types',
        'game_cohorts',
      ],
      why: 'everything of a game is counted again',
      atMost: 'all',
    },
  },
  {
    what: 'hourly maintenance',
    call: ({ admin, nowMs }) => {
      const [logger, metrics] = [pino({ level: 'silent' }), createMaintenanceMetrics()];
      return createMaintenance({ pool: admin, logger, metrics }).run(nowMs, new AbortController().signal);
    },
    reads: {
      tables: [
        'event_blocks',
        'old_events',
        'old_event_names',
        'games',
        'sessions',
        'game_days',
        'game_event_types',
        'game_cohorts',
      ],
      why: 'all games are asked for their retention; sessions, roll-ups and events are dealt with in portions',
      atMost: 'all',
    },
  },
  {
    what: 'compaction of a closed day',
    call: async ({ admin, nowMs }) => {
      const later = nowMs + 5 * DAY_MS;
      await admin.query(
        `insert into event_blocks (player_id, received_at, game_id, event_count, first_at, last_at, events)
         select player_id, received_at, game_id, event_count, first_at, last_at, events from event_blocks`,
      );
      await countDaysToCompact(admin, closedBefore(later));
      await listStuckDays(admin);
      const limits = { minPages: 1, pagesAWindow: 1, lockAttempts: 100 };
      const { state } = await compactEvents(admin, { nowMs: later, rests: false, limits });
      if (state !== 'done') throw new Error(`${dayTable(utcDay(nowMs))} was not compacted: ${state}`);
    },
    reads: {
      tables: ['event_blocks', 'old_events'],
      why: 'a day is rewritten 16,384 pages at a time, beside the partition that all use',
      atMost: 'all',
    },
  },
  {
    what: 'an export of a compacted day',
    call: ({ admin, nowMs }) => {
      const span = { from: '2000-01-01T00:00:00.000000Z', to: iso(nowMs + DAY_MS) };
      const target = { write: async () => {}, pause: async () => {}, finish: async () => {} };
      return exportEvents(admin, { gameId, span, format: 'ndjson', target, after: null });
    },
    reads: {
      tables: ['event_blocks', 'old_events'],
      why: 'the events of a window of receipt are sorted together, outside of memory',
      atMost: 'all',
    },
  },
  {
    what: 'retention',
    call: async ({ admin, nowMs }) => {
      const actor = { name: 'a test', nowMs: nowMs + 40 * DAY_MS };
      await runRetention(admin, { actor, dryRun: true });
      await runRetention(admin, { actor });
    },
    reads: {
      tables: ['event_blocks', 'games'],
      why: 'blocks are deleted 512 pages at a time',
      atMost: 'all',
    },
  },
];

/** As `gradeGame` does, which needs a model that has learnt something. */
function insertGradeOf(on: Installation): Promise<void> {
  const metrics = measureProbabilities([{ predicted: 0.5, players: 1, positives: 1 }]);
  if (metrics === undefined) throw new Error('there is nobody');
  const grade = { day: '2020-01-01', model: 'activity', modelVersion: 1, wasTold: true, metrics } as const;
  return transaction(on.admin, (client) =>
    insertGrade(client, gameId, { ...grade, health: 'green', gradedAt: on.nowMs }),
  );
}

/** Of the fill, so that what refers to it can be written wherever the fill is. */
async function accountOf(pool: Pool, email = 'a-1@b'): Promise<AccountRow> {
  const account = await findAccountByEmail(pool, email);
  if (account === undefined) throw new Error(`there is no account ${email}`);
  return account;
}

function masterKeys(text: string) {
  const parsed = parseMasterKeys(text);
  if (!parsed.ok) throw new Error(parsed.problems.join('\n'));
  return parsed.keys;
}

/** As if every secret had been made under these master keys. */
async function sealAll(pool: Pool, keys: MasterKeys): Promise<void> {
  for (const { keyId, tenant: owner } of await listApiKeys(pool)) {
    const sealed = seal(keys, 'secret', apiKeyBinding(owner, keyId));
    await pool.query('update api_keys set sealed_secret = $2 where key_id = $1', [keyId, sealed]);
  }
  const { accountId } = await accountOf(pool);
  await pool.query('update accounts set second_factor = $2, second_factor_pending = $2 where id = $1', [
    accountId,
    seal(keys, 'secret', secondFactorBinding(accountId)),
  ]);
}

function explainAt(pool: Pool, databaseUrl: string, id: string, atMs: number, nowMs: number) {
  const turns = createFairSemaphore({ maxConcurrent: 1, maxConcurrentPerKey: 1, maxWaitingPerKey: 1 }).of(1);
  return findPlayerAt({ pool, databaseUrl, turns, signal: undefined }, gameId, id, { atMs, nowMs });
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
