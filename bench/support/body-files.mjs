import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { eventsJson } from './event-bodies.mjs';
import { loginBody } from './service.mjs';
import { lua, runWrk } from './wrk.mjs';

/** Files with what the Lua scripts of wrk send. */
export function createBodyFiles({ folder, api, players }) {
  let files = 0;
  const write = async (kind, content) => {
    const file = join(folder, `${kind}-${files++}`);
    await writeFile(file, content);
    return file;
  };

  /** Signed logins: of the known players in turn, or of new devices. */
  const logins = (kind, count) => {
    const prefix = kind === 'known' ? 'known' : `new-${Date.now()}`;
    const device = (n) => `${prefix}-${kind === 'known' ? n % players : n}`;
    return write('logins', Array.from({ length: count }, (_, n) => `${loginBody(device(n))}\n`).join(''));
  };

  return {
    sessions: (sessions) =>
      write(
        'sessions',
        sessions
          .map(
            ({ accessToken, tenantId, gameId, userId, sent = 0 }) =>
              `${accessToken} ${tenantId} ${gameId} ${userId} ${sent}\n`,
          )
          .join(''),
      ),

    logins,

    /** Signed logins of these devices. */
    loginsOf: (devices) => write('logins', devices.map((device) => `${loginBody(device)}\n`).join('')),

    /** Unused refresh tokens, as many as logins succeed in these seconds: more than can be refreshed. */
    async refreshTokens(seconds) {
      const tokens = await write('refresh', '');
      const env = { BENCH_BODIES: await logins('known', players), BENCH_TOKENS: tokens };
      const { failed } = await runWrk({
        url: `${api}/auth/login`,
        seconds,
        script: lua('collect-tokens'),
        env,
      });
      if (failed > 0) throw new Error(`${failed} logins failed`);
      return tokens;
    },

    /** Compressed batches of new events, each after a line with its length. */
    gzippedEvents(batch, count) {
      const run = `gzip-${Date.now()}`;
      const bodies = Array.from({ length: count }, (_, index) => {
        const body = gzipSync(eventsJson(run, index, batch), { level: 1 });
        return Buffer.concat([Buffer.from(`${body.length}\n`), body]);
      });
      return write('gzip', Buffer.concat(bodies));
    },
  };
}
