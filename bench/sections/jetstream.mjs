import { itemsNamed } from '../items.mjs';
import { alternate } from '../support/alternate.mjs';
import { undoing } from '../support/interrupt.mjs';
import { findServer, startNats } from '../support/nats.mjs';
import { wantedItems } from '../support/options.mjs';
import { withFolder } from '../support/playgrounds.mjs';

const [batch50] = itemsNamed('events, batch 50');
const noTarget = { targets: { insert: undefined } };

/** How fast events are accepted, and how fast they are applied: with a queue these rates differ. */
const ITEMS = [
  { ...batch50, ...noTarget, name: 'events, batch 50, JetStream, accepted', isLongRun: true },
  { ...batch50, ...noTarget, name: 'events, batch 50, JetStream, applied', counts: 'appliedPerSecond' },
];

/** One NATS server with one replica, and the API's own workers as consumers. */
export const jetstream = {
  name: 'jetstream',
  parts: ITEMS.map(({ name }) => name),
  async run(options, playgrounds) {
    if ((await findServer()) === undefined) {
      console.log('\nSKIPPED: the section jetstream needs nats-server, and there is none on the PATH.\n');
      return {};
    }
    const items = wantedItems(options, 'jetstream', ITEMS);
    return withFolder(async (folder) => {
      const nats = await startNats(1, folder);
      const stop = undoing(nats.stop);
      console.log(nats.description);
      try {
        const settings = { NATS_URL: nats.urls, SAVEPOINT_NATS_REPLICAS: '1' };
        return await playgrounds.with({ ...options, settings }, (playground) =>
          alternate({ playground, items, options }),
        );
      } finally {
        await stop();
      }
    });
  },
};
