import { attachToEmbeddedPostgres } from '../../server/src/platform/embedded-postgres/attach.js';
import { childrenOf, isRunning, signal } from '../faults/processes.js';
import { withDatabase } from '../faults/verify.js';
import { get, login, post, type Service, type Settings, startService, until } from '../support/service.js';
import { largeDocument } from './large-document.js';
import { patch, put } from './requests.js';
import type { Studio } from './studio.js';

export type Battlefield = Readonly<{
  service: Service;
  settings: Settings & { SAVEPOINT_DATA_DIR: string };
  honest: Studio;
  hostile: Studio;
}>;

export type Attack = Readonly<{
  name: string;
  /** Milliseconds that honest requests may wait, where that is more than usual. */
  mayWaitFor?: number;
  /** What it reached, one sentence each; none where the service held. */
  run(field: Battlefield): Promise<string[]>;
}>;

/** Patterns that a backtracking engine needs minutes for, with the texts that do it. */
const SLOW_PATTERNS = [
  { pattern: '^(\\w+\\s?)*$', text: `${'a'.repeat(40)}!` },
  { pattern: '^(a|aa)+$', text: `${'a'.repeat(45)}b` },
  { pattern: '^(([a-z])+.)+[A-Z]([a-z])+$', text: 'a'.repeat(45) },
  { pattern: '(x{1,1000}){1,1000}y', text: 'x'.repeat(5_000) },
];

/** Forty definitions, each of which refers to the next one twice. */
function doublingSchema(): unknown {
  const definitions = Array.from({ length: 40 }, (_, index) => [
    `d${index}`,
    index === 39
      ? { type: 'string' }
      : { anyOf: [{ $ref: `#/definitions/d${index + 1}` }, { $ref: `#/definitions/d${index + 1}` }] },
  ]);
  return { $ref: '#/definitions/d0', definitions: Object.fromEntries(definitions) };
}

export const ATTACKS: readonly Attack[] = [
  {
    name: 'event schemas with patterns that backtrack',
    async run({ service, hostile }) {
      const harm: string[] = [];
      for (const [index, { pattern, text }] of SLOW_PATTERNS.entries()) {
        const eventType = `Slow_${index}`;
        const schema = {
          type: 'object',
          properties: { payload: { type: 'object', properties: { text: { type: 'string', pattern } } } },
        };
        const saved = await registerSchema(service, hostile, eventType, schema);
        if (saved >= 500) harm.push(`Saving ${pattern} answered ${saved}.`);
        const event = { eventType, timestamp: new Date().toISOString(), payload: { text } };
        const batches = Array.from({ length: 4 }, () =>
          post(`${service.api}/v1/events`, hostile.player.headers, [event]),
        );
        for (const { status } of await Promise.all(batches)) {
          if (status >= 500) harm.push(`An event for ${pattern} answered ${status}.`);
        }
      }
      return harm;
    },
  },
  {
    name: 'an event schema that doubles forty times',
    async run({ service, hostile }) {
      const status = await registerSchema(service, hostile, 'Doubling', doublingSchema());
      return status >= 400 && status < 500 ? [] : [`It was answered with ${status}, not refused.`];
    },
  },
  {
    name: 'a worker that does not turn its event loop',
    // The requests that the stopped worker had accepted wait until it is replaced; then they are sent again by the client.
    mayWaitFor: 30_000,
    async run({ service }) {
      const [stopped = 0] = await childrenOf(service.pid, 'worker.js');
      signal(stopped, 'SIGSTOP');
      const isReplaced = async () =>
        !isRunning(stopped) && (await childrenOf(service.pid, 'worker.js')).length === 2;
      return until(isReplaced, 300_000).then(
        () => [],
        () => ['It was not replaced within five minutes.'],
      );
    },
  },
  {
    name: 'four large publications',
    async run({ service, hostile }) {
      const harm: string[] = [];
      for (let round = 0; round < 4; round++) {
        const draft = await get(`${service.ops}/admin/v1/games/${hostile.game}/draft`, hostile.admin);
        const { revision } = (draft.body as { data: { revision: number } }).data;
        const url = `${service.ops}/admin/v1/games/${hostile.game}/draft`;
        const saved = await put(url, hostile.admin, { revision, document: largeDocument(round) });
        const now = (saved.body as { data?: { revision: number } }).data?.revision;
        const published = await post(`${url}/publish`, hostile.admin, {
          revision: now,
          note: `Round ${round}`,
          confirmPriceRaises: true,
        });
        if (published.status !== 201) harm.push(`Publishing answered ${published.status}.`);
        await login(service.api, `hostile-${round}`, hostile.key);
      }
      return harm;
    },
  },
  {
    name: 'a node whose clock is a hundred days ahead',
    async run({ service, settings, honest }) {
      const game = `${service.ops}/admin/v1/games/${honest.game}`;
      await patch(game, honest.admin, { retentionDays: 30 });
      const event = { eventType: 'Kept', timestamp: new Date().toISOString(), payload: {} };
      await post(`${service.api}/v1/events`, honest.player.headers, [event]);
      const before = await countStored(settings.SAVEPOINT_DATA_DIR);
      const databaseUrl = await attachToEmbeddedPostgres(settings.SAVEPOINT_DATA_DIR);
      if (databaseUrl === undefined) return ['The database is gone.'];
      const node = await startService({
        ...settings,
        DATABASE_URL: databaseUrl,
        NODE_OPTIONS: `--import ${new URL('./wrong-clock.mjs', import.meta.url).href}`,
      });
      await until(() => node.output().includes('it deletes nothing'), 120_000).catch(() => {});
      const ready = await get(`${node.ops}/readyz`);
      const told = node.output().includes('it deletes nothing');
      await node.interrupt();
      const after = await countStored(settings.SAVEPOINT_DATA_DIR);
      return [
        ...(after.events < before.events ? [`${before.events - after.events} events were deleted.`] : []),
        ...(after.days < before.days ? [`${before.days - after.days} days were dropped.`] : []),
        ...(told ? [] : ['Its log does not say why it does no such work.']),
        ...(ready.status === 503 ? [] : [`Its /readyz answers ${ready.status}.`]),
      ];
    },
  },
  {
    name: 'a misspelt member in a request of support',
    async run({ service, honest }) {
      const player = await login(service.api, 'many-sessions', honest.key);
      for (let n = 0; n < 3; n++) await login(service.api, 'many-sessions', honest.key);
      const { status } = await post(
        `${service.ops}/admin/v1/games/${honest.game}/players/${player.userId}/sessions/revoke`,
        honest.admin,
        { sessionID: player.userId },
      );
      const still = await get(`${service.api}/v1/player/status`, player.headers);
      return [
        ...(status === 400 ? [] : [`It was answered with ${status}.`]),
        ...(still.status === 200 ? [] : ['It ended sessions.']),
      ];
    },
  },
];

async function registerSchema(service: Service, { game, admin }: Studio, eventType: string, schema: unknown) {
  const url = `${service.ops}/admin/v1/games/${game}/event-types/schema?eventType=${eventType}`;
  return (await put(url, admin, { schema })).status;
}

async function countStored(dataDir: string): Promise<{ events: number; days: number }> {
  return withDatabase({ dataDir }, async (client) => {
    const { rows } = await client.query<{ events: number; days: number }>(
      `select (select count(*)::int from events) as events,
         (select count(*)::int from pg_inherits where inhparent = 'event_blocks'::regclass) as days`,
    );
    return rows[0] ?? { events: 0, days: 0 };
  });
}
