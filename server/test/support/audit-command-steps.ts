import { NO_STORES } from '../../src/core/events/receipts/store-settings.js';
import { publishConfig } from '../../src/liveops/configs/publish.js';
import { findGame } from '../../src/platform/admin-api/tenants.js';
import { generateMasterKey } from '../../src/platform/security/master-keys.js';
import { experiment, value } from '../decide/support/fixtures.js';
import { ACCOUNT_KEY, type AuditStep, READS } from './audit-steps.js';
import { gameDocument, postBytes, publish, sku } from './data-calls.js';
import type { Harness } from './harness.js';
import { putInForce, trainedArtefact } from './prediction-models.js';

/** What the steps of commands work with. */
export type CommandWorld = {
  harness: Harness;
  /** The master keys of the installation, the newest first. */
  masterKey: string;
  /** What earlier commands printed, for those that need an id. */
  printed: Map<string, string>;
  /** Writes a file and returns its path. */
  file(name: string, content: unknown): Promise<string>;
};

const idIn = ({ printed }: CommandWorld, command: string, pattern: RegExp): string =>
  pattern.exec(printed.get(command) ?? '')?.[1] ?? `nothing of ${command}`;
const keyId = (world: CommandWorld, command: string) => idIn(world, command, /API key +(\S+)/);
const ROCKET = ['--tenant', 'acme', '--game', 'rocket'];
const DEMO = ['--tenant', 'demo-studio', '--game', 'demo-game'];

/** Every command but those that list and show, in the order in which they are run. */
export const COMMAND_STEPS: Record<
  string,
  AuditStep<(world: CommandWorld) => string[] | Promise<string[]>>
> = {
  start: { reason: 'what it changes is done by the service itself, which has entries of its own' },
  consume: { reason: 'it applies what players sent' },
  migrate: { reason: 'schema_migrations says what was applied, and when' },
  doctor: { reason: READS },
  'backup run': { reason: READS },
  'backup fetch': { reason: READS },
  'backup verify': { reason: READS },
  upgrade: { reason: 'it copies the audit log with all else' },
  restore: { reason: 'it replaces the audit log with all else' },
  explain: { reason: READS },
  'config attributes': { reason: READS },
  'config own-attributes': { reason: READS },
  'config dry-run': { reason: READS },
  'config back-test': { reason: READS },
  'config types': { reason: READS },
  'catalogue export': { reason: READS },
  'export events': { reason: READS },
  'export players': { reason: READS },
  'rollups check': { reason: READS },
  'rollups holdout': { reason: READS },
  'experiments plan': { reason: READS },
  'experiments explore': { reason: READS },
  'experiments holdouts': { reason: READS },
  'experiments grades': { reason: READS },
  'experiments former': { reason: READS },
  'rollups forecast': { reason: READS },
  'rollups ltv': { reason: READS },
  'rollups funnel': { reason: READS },
  losses: { reason: READS },
  sql: { reason: READS },
  'event-files write': { reason: 'it writes files of what is stored, as the service does by itself' },
  'event-files check': { reason: READS },
  'event-files clickhouse': { reason: READS },
  'fake-store': { reason: 'it only signs receipts, and sends what stores send' },
  simulate: { reason: 'it sends what players send; the past that it leaves is in leave-past.test.ts' },
  'tenant create': {
    action: 'tenant.create',
    target: 'tenant acme',
    call: () => ['acme', '--name', 'Acme'],
  },
  'game create': {
    action: 'game.create',
    target: 'game rocket',
    call: () => ['rocket', '--tenant', 'acme'],
  },
  'game set': {
    action: 'game.update',
    target: 'game rocket',
    call: () => ['rocket', '--tenant', 'acme', '--retention-days', '30', '--unregistered-types', 'hold'],
  },
  'rates set': {
    action: 'reporting.update',
    target: 'exchange rates version 1',
    call: () => ['--tenant', 'acme', '--currency', 'USD', '--rate', 'EUR=1.08'],
  },
  'rates import': {
    action: 'reporting.update',
    target: 'exchange rates version 2',
    call: async ({ file }) => [
      ...['--tenant', 'acme', '--file'],
      await file('rates.csv', 'currency,from,rate\nJPY,2026-01-01,0.0066\n'),
    ],
  },
  'key create': { action: 'api_key.create', target: 'API key sp_live_', call: () => ROCKET },
  'key rotate': {
    action: 'api_key.rotate',
    target: 'API key sp_live_',
    call: (world) => [keyId(world, 'key create')],
  },
  'key revoke': {
    action: 'api_key.revoke',
    target: 'API key sp_live_',
    call: (world) => [keyId(world, 'key create'), '--end-sessions'],
  },
  'admin-token create': {
    action: 'admin_token.create',
    target: 'admin token ',
    call: () => ['--role', 'owner', '--tenant', 'acme'],
  },
  'admin-token revoke': {
    action: 'admin_token.revoke',
    target: 'admin token ',
    call: (world) => [idIn(world, 'admin-token create', /sp_admin_([0-9a-f]+)_/)],
  },
  'admin create': {
    action: 'member.add',
    target: 'member joan@acme.example',
    call: () => ['--email', 'joan@acme.example', '--role', 'owner', '--tenant', 'acme'],
  },
  'admin reset': {
    action: 'account.reset',
    target: 'account joan@acme.example',
    call: () => ['--email', 'joan@acme.example'],
  },
  'config publish': {
    action: 'config.publish',
    target: 'version 2',
    call: async ({ file }) => [...DEMO, '--file', await file('config.json', gameDocument([sku('a')]))],
  },
  'config roll-back': {
    action: 'config.roll_back',
    target: 'version 3',
    call: () => [...DEMO, '--config-version', '1', '--confirm-price-raises'],
  },
  'experiments end': {
    action: 'config.publish',
    target: 'version ',
    call: async ({ harness }) => {
      const gameId = (await findGame(harness.pool, 'demo-studio', 'demo-game'))?.id ?? 0;
      const document = { ...gameDocument([sku('a')]), experiments: [experiment('ended')] };
      await publishConfig(
        harness.pool,
        { gameId, document, note: '' },
        { name: 'a test', nowMs: Date.now() },
      );
      return ['ended', ...DEMO, '--winner', 'b'];
    },
  },
  'note add': {
    action: 'note.add',
    target: 'player ',
    call: async ({ harness }) => [(await harness.login('noted')).userId, ...DEMO, '--text', 'r'],
  },
  'note delete': {
    action: 'note.delete',
    target: 'player ',
    call: async ({ harness }) => [(await harness.login('noted')).userId, '1', ...DEMO],
  },
  'export player': {
    action: 'player.export',
    target: 'player ',
    call: async ({ harness }) => ['--player', (await harness.login('noted')).userId, ...DEMO],
  },
  'import players': {
    action: 'history.import',
    target: 'players of players.ndjson',
    call: async ({ file }) => [...DEMO, '--file', await file('players.ndjson', '')],
  },
  'import events': {
    action: 'history.import',
    target: 'events of history.ndjson',
    call: async ({ file }) => [...DEMO, '--file', await file('history.ndjson', '')],
  },
  'erase player': {
    action: 'player.erase',
    target: 'player erased:',
    call: async ({ harness }) => ['--player', (await harness.login('erased')).userId, ...DEMO],
  },
  'override set': {
    action: 'override.set',
    target: 'player ',
    call: async ({ harness }) => [
      ...[(await harness.login('set')).userId, 'isPayer', ...DEMO],
      ...['--value', 'true', '--reason', 'r'],
    ],
  },
  'override clear': {
    action: 'override.clear',
    target: 'player ',
    call: async ({ harness }) => [(await harness.login('set')).userId, 'isPayer', ...DEMO],
  },
  'pin set': {
    action: 'pin.set',
    target: 'player ',
    call: async ({ harness }) => {
      const document = { ...gameDocument([]), values: [value('jump_height')] };
      await publish(harness.pool, document, harness.clock.now());
      const { userId } = await harness.login('set');
      return [userId, 'jump_height', ...DEMO, '--value', '2', '--reason', 'r'];
    },
  },
  'pin clear': {
    action: 'pin.clear',
    target: 'player ',
    call: async ({ harness }) => [(await harness.login('set')).userId, 'jump_height', ...DEMO],
  },
  'override import': {
    action: 'override.import',
    target: '1 flags of players',
    call: async ({ harness, file }) => {
      const { userId } = await harness.login('imported');
      const path = await file('overrides.csv', `playerId,flagId,value,reason\n${userId},isPayer,true,r\n`);
      return [...DEMO, '--file', path];
    },
  },
  train: { action: 'model.train', target: 'model 1', call: () => DEMO },
  'models compare': { reason: READS },
  'models grades': { reason: READS },
  'models rollback': {
    action: 'model.roll_back',
    target: 'model 1',
    call: async ({ harness }) => {
      const gameId = (await findGame(harness.pool, 'demo-studio', 'demo-game'))?.id ?? 0;
      await putInForce(harness.pool, gameId, trainedArtefact(), Date.now());
      return [...DEMO, '--model', '1'];
    },
  },
  'catalogue import': {
    action: 'draft.save',
    target: 'draft ',
    call: async ({ file }) => [
      ...DEMO,
      '--mode',
      'replace',
      '--file',
      await file('skus.json', gameDocument([sku('gems_1200')]).catalogue),
    ],
  },
  'event-type register': {
    action: 'event_type.register',
    target: 'event type Quest',
    call: async ({ file }) => ['Quest', ...DEMO, '--file', await file('quest.json', '{"type":"object"}')],
  },
  'event-type retire': {
    action: 'event_type.retire',
    target: 'event type Quest',
    call: () => ['Quest', ...DEMO],
  },
  'failed-events replay': {
    action: 'failed_event.replay',
    target: 'failed event ',
    call: async ({ harness, file }) => {
      await postBytes(harness.app, await harness.login('failing'), '[{"eventType":"Quest"}]');
      const { rows } = await harness.pool.query<{ id: string }>('select id from failed_events');
      const event = { eventType: 'Quest', timestamp: new Date().toISOString(), payload: {} };
      return [rows[0]?.id ?? '', '--file', await file('event.json', event)];
    },
  },
  'store test': { reason: READS },
  'store set': {
    action: 'stores.update',
    target: 'store settings',
    call: async ({ file }) => [...ROCKET, '--file', await file('stores.json', NO_STORES)],
  },
  'store set-google-account': {
    action: 'stores.google_account',
    target: 'service account of Google',
    call: async ({ file }) => [
      ...ROCKET,
      '--file',
      await file('account.json', { client_email: 'savepoint@example.com', private_key: ACCOUNT_KEY }),
    ],
  },
  'store test-google-account': { reason: READS },
  'store remove-google-account': {
    action: 'stores.google_account',
    target: 'service account of Google',
    call: () => [...ROCKET],
  },
  'retention run': { action: 'retention.delete', target: 'events before ', call: () => [] },
  'signing-key rotate': { action: 'signing_key.rotate', target: 'signing key ', call: () => [] },
  'signing-key revoke': {
    action: 'signing_key.revoke',
    target: 'signing key ',
    call: (world) => [idIn(world, 'signing-key rotate', /Published key (\S+)\./)],
  },
  'master-key rotate': {
    action: 'master_key.rotate',
    target: 'master key ',
    call: (world) => {
      world.masterKey = `${generateMasterKey()},${world.masterKey}`;
      return [];
    },
  },
  'master-key replace-lost': {
    action: 'master_key.replace_lost',
    target: 'master key ',
    call: (world) => {
      const lost = idIn(world, 'master-key rotate', /under master key (\w+)\./);
      world.masterKey = generateMasterKey();
      return [lost];
    },
  },
};
