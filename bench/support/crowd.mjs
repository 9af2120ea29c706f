import { createHash } from 'node:crypto';
import { DEMO } from '../../server/dist/app/demo-studio.js';
import { createAccessTokens } from '../../server/dist/core/sessions/access-token.js';
import { loadSigningKeys } from '../../server/dist/core/sessions/signing-keys.js';
import { createPool } from '../../server/dist/platform/db/pool.js';
import { systemClock } from '../../server/dist/platform/lib/clock.js';
import { loadMasterKeys } from '../../server/dist/platform/security/master-key.js';
import { readSettings } from '../../server/dist/platform/settings/settings.js';
import { insertPlayers, insertSessions, settleTables } from './stored-players.mjs';

const TABLES = ['players', 'player_days', 'player_promotions', 'devices', 'sessions'];

/**
 * Many stored players with live sessions, and tokens for any of them. A million logins would take minutes, so the rows are
 * written with SQL and the tokens are signed here, with the key of the installation.
 */
export async function createCrowd({ database, service, players, accessTtlSeconds }) {
  const range = await insertPlayers(database, players);
  await insertSessions(database, range);
  await settleTables(database, TABLES);
  const tokens = await openTokens(service, accessTtlSeconds);
  /** How many events players have sent: a client that numbers its events continues from there. */
  const sentBy = new Map();

  const drawIds = (count) => {
    if (count > players) throw new Error(`${count} players cannot be drawn from ${players}: raise --players`);
    const drawn = new Set();
    while (drawn.size < count) drawn.add(range.first + Math.floor(Math.random() * players));
    return [...drawn];
  };

  const sessionOf = (playerId) => {
    const session = {
      userId: uuidOf(`player-${playerId}`),
      tenantId: DEMO.tenant,
      gameId: DEMO.game,
      deviceId: deviceOf(playerId),
      sessionId: uuidOf(`session-${playerId}`),
    };
    return { ...session, playerId, accessToken: tokens.issue(session), sent: sentBy.get(playerId) ?? 0 };
  };

  return {
    players,
    /** Sessions of players drawn at random, none of them twice. */
    draw: (count) => drawIds(count).map(sessionOf),
    drawDevices: (count) => drawIds(count).map(deviceOf),
    /** Of the drawn players, each of the two threads has used this many, from its first on (lua/sessions.lua). */
    haveSent(drawn, used, events) {
      drawn.forEach(({ playerId, sent }, index) => {
        if (Math.floor(index / 2) < (used[index % 2] ?? 0)) sentBy.set(playerId, sent + events);
      });
    },
    close: tokens.close,
  };
}

async function openTokens({ dataDir, databaseUrl }, ttlSeconds) {
  const env = { SAVEPOINT_ENV: 'development', SAVEPOINT_DATA_DIR: dataDir };
  const { settings, problems } = readSettings(env, { tty: false });
  if (settings === undefined) throw new Error(problems.join('\n'));
  const pool = createPool({ url: databaseUrl, size: 1, timeoutMs: 5000, onError: () => {} });
  const { keys: masterKeys } = await loadMasterKeys(settings, pool);
  const keys = await loadSigningKeys({
    pool,
    masterKeys,
    clock: systemClock,
    accessTtlSeconds: settings.accessTtlSeconds,
    logger: { error() {} },
  });
  const { issue } = createAccessTokens({
    keys,
    clock: systemClock,
    issuer: settings.tokenIssuer,
    audience: settings.tokenAudience,
    ttlSeconds,
  });
  return {
    issue,
    async close() {
      keys.stop();
      await pool.end();
    },
  };
}

const deviceOf = (playerId) => `stored-${playerId}`;

/** As PostgreSQL's `md5(text)::uuid` writes it. */
function uuidOf(text) {
  const hex = createHash('md5').update(text).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
