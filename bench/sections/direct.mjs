import { CLIENTS, ITEMS, itemsNamed } from '../items.mjs';
import { alternate } from '../support/alternate.mjs';
import { wantedItems } from '../support/options.mjs';

/** Everything, with events applied before the response. */
export const direct = {
  name: 'direct',
  parts: ITEMS.map(({ name }) => name),
  run(options, playgrounds) {
    const items = wantedItems(options, 'direct', ITEMS);
    return playgrounds.with(options, (playground) =>
      alternate({ playground, items, options, operations: true }),
    );
  },
};

/** What real clients send, compared with its simplest form. */
export const clients = {
  name: 'clients',
  parts: CLIENTS.map(({ name }) => name),
  run(options, playgrounds) {
    const items = wantedItems(options, 'clients', CLIENTS);
    return playgrounds.with(options, (playground) => alternate({ playground, items, options }));
  },
};

/** Without the comparison with `http`, which is the unit for two processes. */
const ONE = itemsNamed('status', 'returning login', 'events, batch 50').map(
  ({ targets: { http: _, ...targets }, ...item }) => ({
    ...item,
    targets,
    // Starting a service for one or two rows would take a quick run too long.
    isLongRun: true,
  }),
);
const LABEL = ', 1 worker';

/** One API process, and floors of one process. */
export const oneWorker = {
  name: 'one worker',
  parts: ONE.map(({ name }) => `${name}${LABEL}`),
  run(options, playgrounds) {
    const items = wantedItems(options, 'one worker', ONE, LABEL);
    if (items.length === 0) return {};
    return playgrounds.with({ ...options, workers: 1, isFresh: true }, (playground) =>
      alternate({ playground, items, options, label: LABEL }),
    );
  },
};
