import { ITEMS, itemsNamed } from '../items.mjs';
import { alternate } from '../support/alternate.mjs';
import { isWanted } from '../support/options.mjs';

/** Everything, with events applied before the answer. */
export const direct = {
  name: 'direct',
  parts: ITEMS.map(({ name }) => name),
  run(options, playgrounds) {
    const items = ITEMS.filter(({ name }) => isWanted(options, 'direct', name));
    return playgrounds.with(options, (playground) =>
      alternate({ playground, items, options, operations: true }),
    );
  },
};

/** The unit of others is of two processes. */
const ONE = itemsNamed('status', 'returning login', 'events, batch 50').map(
  ({ targets: { http: _, ...targets }, ...item }) => ({
    ...item,
    targets,
    isLongRun: item.name !== 'events, batch 50',
  }),
);
const LABEL = ', 1 worker';

/** One API process, and floors of one process. */
export const oneWorker = {
  name: 'one worker',
  parts: ONE.map(({ name }) => `${name}${LABEL}`),
  run(options, playgrounds) {
    const items = ONE.filter(({ name }) => isWanted(options, 'one worker', `${name}${LABEL}`));
    return playgrounds.with({ workers: 1, isFresh: true }, (playground) =>
      alternate({ playground, items, options, label: LABEL }),
    );
  },
};
