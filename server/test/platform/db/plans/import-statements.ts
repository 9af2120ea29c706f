import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportPlayers } from '../../../../src/insight/exports/export-players.js';
import { eventImporter } from '../../../../src/operations/imports/import-events.js';
import { playerImporter } from '../../../../src/operations/imports/import-players.js';
import { runImport } from '../../../../src/operations/imports/run-import.js';
import { WORLD } from './large-tables.js';
import type { Listed } from './listed-statement.js';

const { gameId, userId } = WORLD;
const nobody = async () => new Set<string>();
const NEW_USER = '0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a';

/** Statements of imports of history, and of the export that they read. */
export const IMPORT_STATEMENTS: readonly Listed[] = [
  {
    what: 'the import of players, events and changes of transactions',
    call: async ({ admin, nowMs }) => {
      const folder = await mkdtemp(join(tmpdir(), 'savepoint-plans-'));
      const time = new Date(nowMs).toISOString();
      const lines = (...members: object[]) => members.map((line) => `${JSON.stringify(line)}\n`).join('');
      const options = (path: string) => ({
        gameId,
        path,
        rejectsPath: join(folder, 'r'),
        actor: { name: 'a test', nowMs },
      });
      const players = join(folder, 'players');
      await writeFile(
        players,
        lines(
          { userId, createdAt: time },
          { deviceId: 'imported', userId, createdAt: time, ownUserId: userId },
        ),
      );
      await runImport(admin, playerImporter(gameId, nowMs, nobody), options(players));
      const events = join(folder, 'events');
      const event = { eventType: 'T', timestamp: time, receivedAt: time, payload: {} };
      const change = {
        kind: 'transactionChange',
        transactionId: 'transaction-1',
        at: time,
        recordedAt: time,
      };
      await writeFile(
        events,
        lines(
          { userId, ...event },
          { userId: NEW_USER, ...event },
          { userId, ...change, change: 'notice', share: '1', refundedAt: time },
        ),
      );
      await runImport(admin, eventImporter(admin, gameId, nowMs, nobody), options(events));
      await rm(folder, { recursive: true });
    },
  },
  {
    what: 'the export of all players',
    call: ({ admin }) =>
      exportPlayers(admin, gameId, async (pages) => {
        for await (const page of pages) if (page === '') throw new Error('an empty page');
      }),
    reads: { tables: ['players', 'devices'], why: 'pages of 2,000 rows, by index', atMost: 2_000 },
  },
];
