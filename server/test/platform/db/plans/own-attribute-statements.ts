import { applyEvents } from '../../../../src/core/events/apply/apply-events.js';
import { DEFAULT_DOCUMENT } from '../../../../src/decide/document/default-document.js';
import { countAudience } from '../../../../src/liveops/audiences/audience.js';
import { publishOwnAttributes } from '../../../../src/liveops/configs/own-attribute-sets.js';
import { dryRun } from '../../../../src/liveops/dry-runs/dry-run.js';
import { backFillOwnAttributes } from '../../../../src/liveops/own-attributes/back-fill.js';
import { hasUnfinishedSet, runBackFill } from '../../../../src/liveops/own-attributes/back-fill-runner.js';
import { findOwnAttributes } from '../../../../src/liveops/own-attributes/own-attributes.js';
import { walkByIndex, withDedicatedConnection } from '../../../../src/platform/db/dedicated-connection.js';
import { transaction } from '../../../../src/platform/db/pool.js';
import { configWith, segment } from '../../../decide/support/fixtures.js';
import { toRecords } from '../../../support/game-world.js';
import { WORLD } from './large-tables.js';
import type { Installation, Listed } from './listed-statement.js';

const { gameId, playerId, userId } = WORLD;

function publish({ admin, nowMs }: Installation, eventType: string): Promise<void> {
  const attributes = [
    { attributeId: 'a', description: '', eventType, member: null, fold: 'count', type: 'integer' } as const,
  ];
  return transaction(admin, (client) =>
    publishOwnAttributes(client, gameId, { ...DEFAULT_DOCUMENT, attributes }, nowMs),
  );
}

export const OWN_ATTRIBUTE_STATEMENTS: readonly Listed[] = [
  { what: 'sets of own attributes', call: (installation) => publish(installation, 'Win') },
  { what: 'has_unfinished_own_set', call: ({ admin }) => hasUnfinishedSet(admin) },
  {
    what: 'own attributes for the past',
    async call(installation) {
      await send(installation, 200);
      const clock = { now: () => installation.nowMs };
      await runBackFill(installation.admin, { clock });
      await publish(installation, 'Ad_Impression');
      // A player who changes during every read is locked first.
      let n = 0;
      await withDedicatedConnection(installation.admin, async (connection) => {
        await walkByIndex(connection);
        await backFillOwnAttributes({
          connection,
          clock,
          rests: false,
          onRead: () => send(installation, n++),
        });
      });
    },
    reads: {
      tables: ['players', 'event_blocks'],
      why: 'walks over the players of a game and all their events, some at a time, on a connection of its own',
      atMost: 'all',
    },
  },
  {
    what: 'own attributes of a draft',
    async call({ admin, nowMs }) {
      const attributes = [
        {
          attributeId: 'a',
          description: '',
          eventType: 'Win',
          member: 'payload.level',
          fold: 'max',
          type: 'integer',
        } as const,
      ];
      const after = configWith({ attributes, segments: [segment('a', 'own.a > 1')] });
      await dryRun(admin, { gameId, before: DEFAULT_DOCUMENT, after, nowMs });
      const { signal } = new AbortController();
      await countAudience(
        admin,
        { players: 2, ids: [playerId] },
        {
          gameId,
          document: after,
          part: { kind: 'segment', id: 'a' },
          rule: null,
          nowMs,
          atMs: nowMs,
          signal,
        },
      );
    },
    reads: {
      tables: ['players', 'player_days', 'event_blocks'],
      why: 'the players of the game, 5,000 at a time, and the events of those who lack an attribute; bounded by the number of events',
      atMost: 'all',
    },
  },
  { what: 'find_own_set', call: (installation) => send(installation, 100) },
  { what: 'find_own_attributes', call: ({ admin }) => findOwnAttributes(admin, gameId) },
];

async function send({ service, nowMs }: Installation, n: number): Promise<void> {
  const timestamp = new Date(nowMs - n).toISOString();
  const event = { eventType: 'Ad_Impression', timestamp, payload: { adId: `own-${n}` } };
  await applyEvents(service, toRecords({ playerId, gameId, userId, createdAt: 0 }, [event], nowMs));
}
