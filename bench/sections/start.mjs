import { login, startService } from '../support/service.mjs';

const LONGEST_SECONDS = 2.5;

/** From nothing to the first answered login: on an empty data folder, and on the same folder again and again. */
export const start = {
  name: 'start',
  parts: ['first start', 'second start'],
  async run({ rounds }) {
    const settings = {};
    const seconds = [];
    let remove = () => {};
    try {
      while (seconds.length <= rounds) {
        const begun = performance.now();
        const service = await startService(settings);
        settings.SAVEPOINT_DATA_DIR = service.dataDir;
        remove = service.remove;
        try {
          await login(service.api, 'a-device');
          seconds.push((performance.now() - begun) / 1000);
        } finally {
          await service.stop();
        }
        console.log(`start ${seconds.length}: first login after ${seconds.at(-1)?.toFixed(2)} s`);
      }
    } finally {
      await remove();
    }
    const [first, ...later] = seconds;
    return {
      limits: [
        { name: 'start to first answered login, empty data folder', unit: 's', values: [first] },
        {
          name: 'start to first answered login, second start',
          unit: 's',
          values: later,
          limit: LONGEST_SECONDS,
        },
      ],
    };
  },
};
