import { listExposedChanges, listFormerRuns } from '../../../../src/core/configs/experiment-changes.js';
import { apiKeyBinding, listApiKeys } from '../../../../src/core/sessions/api-key-queries.js';
import { DEFAULT_DOCUMENT } from '../../../../src/decide/document/default-document.js';
import { measureProbabilities } from '../../../../src/decide/predict/metrics.js';
import { insertGrade } from '../../../../src/insight/predictions/grade-queries.js';
import { rollBackModel } from '../../../../src/insight/predictions/roll-back-model.js';
import { trainGame } from '../../../../src/insight/predictions/train-game.js';
import { countDailySizes } from '../../../../src/liveops/audiences/count-daily-sizes.js';
import { noteSegmentSizes } from '../../../../src/liveops/audiences/segment-size-queries.js';
import { backTest } from '../../../../src/liveops/back-tests/back-test.js';
import { deletePicture, setPicture } from '../../../../src/liveops/configs/catalogue/picture-queries.js';
import { discardDraft, publishDraft, saveDraft } from '../../../../src/liveops/configs/draft.js';
import { dryRun } from '../../../../src/liveops/dry-runs/dry-run.js';
import { findPlayerAt } from '../../../../src/liveops/explanations/explained-player.js';
import { createRebuildPool } from '../../../../src/liveops/explanations/rebuild-connections.js';
import { listNotes } from '../../../../src/liveops/players/note-queries.js';
import { addNote, editNote, removeNote } from '../../../../src/liveops/players/notes.js';
import { readOverrideFile } from '../../../../src/liveops/players/override-file.js';
import { importOverrides } from '../../../../src/liveops/players/override-import.js';
import { listKnownPlayers } from '../../../../src/liveops/players/override-import-queries.js';
import { clearOverride, setOverride } from '../../../../src/liveops/players/overrides.js';
import {
  countCurrentPins,
  insertPin,
  updatePinCleared,
} from '../../../../src/liveops/players/pin-queries.js';
import {
  listDaysOfReceipt,
  listSimulatedPlayers,
  moveReceipts,
  updateOnlyPublication,
} from '../../../../src/operations/simulated-past/past-queries.js';
import { findGame, listGames, listTenants } from '../../../../src/platform/admin-api/tenants.js';
import { withDedicatedConnection } from '../../../../src/platform/db/dedicated-connection.js';
import { type Pool, transaction } from '../../../../src/platform/db/pool.js';
import { DAY_MS } from '../../../../src/platform/lib/day.js';
import { createFairSemaphore } from '../../../../src/platform/lib/fair-semaphore.js';
import { MAX_ROW_ID } from '../../../../src/platform/lib/row-id.js';
import {
  generateMasterKey,
  type MasterKeys,
  parseMasterKeys,
  primaryId,
  seal,
} from '../../../../src/platform/security/master-keys.js';
import { listSealedSecrets } from '../../../../src/platform/security/sealed-secrets.js';
import { type AccountRow, findAccountByEmail } from '../../../../src/studio/accounts/account-queries.js';
import { secondFactorBinding } from '../../../../src/studio/accounts/second-factor-binding.js';
import { findDeletedBefore } from '../../../../src/studio/admin-api/game-queries.js';
import { findAuditRow, listAuditLines } from '../../../../src/studio/games-and-keys/audit-overview.js';
import {
  createApiKey,
  revokeApiKey,
  rotateApiKey,
} from '../../../../src/studio/games-and-keys/key-changes.js';
import { createGame, updateGameSettings } from '../../../../src/studio/games-and-keys/tenant-changes.js';
import { changeRates } from '../../../../src/studio/money/rate-changes.js';
import {
  findRateTable,
  findRateVersion,
  listRateVersions,
} from '../../../../src/studio/money/rate-queries.js';
import { reportSpend } from '../../../../src/studio/money/report-spend.js';
import { replaceLostSecrets } from '../../../../src/studio/sessions/replace-lost-secrets.js';
import { resealAll } from '../../../../src/studio/sessions/reseal-secrets.js';
import { revokeSigningKey, rotateSigningKey } from '../../../../src/studio/sessions/signing-key-changes.js';
import { configWith, experiment } from '../../../decide/support/fixtures.js';
import { WORLD } from './large-tables.js';
import type { Installation, Listed } from './listed-statement.js';

const { gameId, tenantId, tenant, game, playerId, userId } = WORLD;

const actorAt = ({ nowMs }: Installation) => ({ name: 'a test', nowMs });

/** Statements of what a studio decides and asks, and of keys, without a name: PostgreSQL plans them for every call. */
export const STUDIO_STATEMENTS: readonly Listed[] = [
  {
    what: 'games and their settings',
    call: async (on) => {
      await createGame(on.admin, { tenant, slug: 'another', name: '' }, actorAt(on));
      await findGame(on.admin, tenant, game);
      await findDeletedBefore(on.admin, gameId);
      await updateGameSettings(
        on.admin,
        WORLD.quietGameId,
        {
          name: 'Quiet',
          retentionDays: 20,
          unregisteredTypes: 'hold',
          erasureWaitDays: 3,
          erasurePage: true,
        },
        actorAt(on),
      );
    },
  },
  {
    what: 'the reporting currency and its rates',
    call: async (on) => {
      const rates = [{ currency: 'EUR', from: '2026-01-01', rate: '1.1', row: 1 }];
      const change = { currency: 'USD', rates, mode: 'replace' } as const;
      await changeRates(on.admin, { tenantId }, change, actorAt(on));
      await findRateVersion(on.admin, tenantId, 1);
      await listRateVersions(on.admin, tenantId, { before: 1_000, limit: 20 });
      await findRateTable(on.admin, gameId);
      await reportSpend(on.admin, gameId, [{ id: WORLD.playerId, purchaseCount: 1 }]);
    },
  },
  {
    what: 'overrides from a file',
    call: async (on) => {
      await listKnownPlayers(on.admin, gameId, WORLD.userIds);
      const file = (value: string) =>
        ['playerId,flagId,value,reason', ...WORLD.userIds.map((id) => `${id},isPayer,${value},r`)].join('\n');
      for (const value of ['true', 'false', 'clear']) {
        const { rows } = readOverrideFile(file(value), on.nowMs);
        await importOverrides(on.admin, gameId, rows, { actor: actorAt(on) });
      }
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
    what: 'the loss of the master key',
    call: async (on) => {
      const lost = masterKeys(generateMasterKey());
      await sealAll(on.admin, lost);
      await replaceLostSecrets(on.admin, masterKeys(generateMasterKey()), primaryId(lost), actorAt(on));
    },
    reads: {
      tables: ['api_keys', 'games', 'accounts'],
      why: 'every sealed secret is looked at, once, by a command',
      atMost: 'all',
    },
  },
  {
    what: 'a past for simulated players',
    call: async (on) => {
      const sinceMs = on.nowMs - 90 * DAY_MS;
      await listSimulatedPlayers(on.admin, { gameId, deviceIds: ['device-1'], sinceMs });
      await listDaysOfReceipt(on.admin, [playerId], sinceMs);
      await transaction(on.admin, async (client) => {
        await updateOnlyPublication(client, gameId, sinceMs);
        await moveReceipts(client, [playerId], { sinceMs, keptFromMs: null });
      });
    },
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
    what: 'pictures of SKUs',
    call: async (on) => {
      const place = { gameId, skuId: 'sku-1' };
      const picture = { mediaType: 'image/png', content: Buffer.alloc(1) };
      await setPicture(on.admin, place, picture, actorAt(on));
      await deletePicture(on.admin, place, actorAt(on));
    },
  },
  {
    what: 'the sizes of segments of a day',
    call: ({ admin }) =>
      noteSegmentSizes(admin, gameId, { day: '2020-01-01', version: 1, players: 1, sizes: {} }),
  },
  {
    what: 'games whose segments were not counted today',
    call: ({ admin, nowMs }) =>
      withDedicatedConnection(admin, (connection) =>
        countDailySizes(admin, connection, nowMs, AbortSignal.abort()),
      ),
    reads: {
      tables: ['games', 'segment_size_days'],
      why: 'once an hour, all games are asked whether they are due',
      atMost: 'all',
    },
  },
  {
    what: 'notes on players',
    call: async (on) => {
      const author = { ...actorAt(on), tokenId: 'token' };
      const added = await addNote(on.admin, { gameId, userId }, 'a', author);
      if (added.outcome !== 'done') throw new Error(added.outcome);
      await listNotes(on.admin, playerId, MAX_ROW_ID, 50);
      const place = { gameId, userId, noteId: added.note.id };
      await editNote(on.admin, place, 'b', author);
      await removeNote(on.admin, place, author, false);
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
    what: 'pins of players',
    call: async (on) => {
      const pin = { playerId, kind: 'value', target: 'jump_height' } as const;
      await transaction(on.admin, async (client) => {
        await updatePinCleared(client, pin, actorAt(on));
        await countCurrentPins(client, playerId);
        const said = { value: 5, reason: '', author: '', authorEmail: null, until: null };
        await insertPin(client, { ...pin, ...said, target: 'other', setAt: on.nowMs });
      });
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
      why: 'a command for operators takes any filter; with old statistics it goes back through all entries, for 5 s at most',
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
      tables: ['players', 'games', 'flag_overrides', 'player_pins', 'segment_stays', 'experiment_exposures'],
      why: 'they are temporary tables that hold what belongs to the player',
      atMost: 'all',
    },
  },
  {
    what: 'whether players are in experiments that a publication would change',
    call: async ({ admin }) => {
      const document = configWith({ experiments: [experiment('price_test')] });
      await listFormerRuns(admin, gameId, configWith(), document);
      return listExposedChanges(admin, gameId, document, [{ experimentId: 'price_test', members: [] }]);
    },
  },
  {
    what: 'a back-test',
    call: async ({ admin, url, nowMs }) => {
      const rebuilds = createRebuildPool(url);
      const run = { gameId, after: DEFAULT_DOCUMENT, nowMs, days: 2, sample: 2, rests: false };
      await backTest(admin, rebuilds, run).finally(() => rebuilds.end());
    },
    reads: {
      tables: ['players', 'games', 'flag_overrides', 'player_pins', 'segment_stays', 'experiment_exposures'],
      why: 'the ids of all players of the game are read for the sample; the others are temporary tables that hold what belongs to the players',
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
  const semaphore = createFairSemaphore({ maxConcurrent: 1, maxConcurrentPerKey: 1, maxWaitingPerKey: 1 }).of(
    1,
  );
  const rebuilds = createRebuildPool(databaseUrl);
  const from = { pool, rebuilds, semaphore, signal: undefined };
  return findPlayerAt(from, gameId, id, { atMs, nowMs }, { attributes: [], isInForce: true }).finally(() =>
    rebuilds.end(),
  );
}
