import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { login, startService } from '../support/service.mjs';

const LONGEST_SECONDS = 2.5;
const KNOCK_EVERY_MS = 10;
/** How long to wait after the service has printed that it is up: on a busy machine the response to the first login may come later. */
const TIMEOUT_MS = 10_000;

/** From nothing to the first login served: on an empty data folder, and on the same folder again and again. */
export const start = {
  name: 'start',
  parts: ['first start', 'second start'],
  async run({ rounds }) {
    const settings = { SAVEPOINT_PORT: String(await freePort()) };
    const seconds = [];
    let remove = () => {};
    try {
      while (seconds.length <= rounds) {
        const begun = performance.now();
        const starting = startService(settings);
        const tooLate = starting.then(() => sleep(TIMEOUT_MS, undefined, { ref: false }));
        const respondedAt = await Promise.race([firstLogin(settings.SAVEPOINT_PORT), tooLate]);
        if (respondedAt === undefined)
          throw new Error('the service printed that it is up, but served no login');
        seconds.push((respondedAt - begun) / 1000);
        const service = await starting;
        settings.SAVEPOINT_DATA_DIR = service.dataDir;
        remove = service.remove;
        await service.stop();
        console.log(`start ${seconds.length}: first login after ${seconds.at(-1)?.toFixed(2)} s`);
      }
    } finally {
      await remove();
    }
    const [first, ...later] = seconds;
    return {
      limits: [
        { name: 'start to first login served, empty data folder', unit: 's', values: [first] },
        {
          name: 'start to first login served, second start',
          unit: 's',
          values: later,
          limit: LONGEST_SECONDS,
        },
      ],
    };
  },
};

/** When the first login was served. Tries from the beginning, as the client of a waiting player does. */
async function firstLogin(port) {
  while (true) {
    try {
      await login(`http://127.0.0.1:${port}`, 'a-device');
      return performance.now();
    } catch (error) {
      // Nothing listens yet. An error without a cause is an unexpected response, and is thrown.
      if (error.cause === undefined) throw error;
      await sleep(KNOCK_EVERY_MS);
    }
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
