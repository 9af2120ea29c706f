import { afterAll, expect, it } from 'vitest';
import { ATTACKS } from './attacks/attacks.js';
import { runAttacks } from './attacks/run-attacks.js';
import { cleanUp } from './support/service.js';

/** `npm run attacks` does the same and also holds the honest requests to a time limit. */

afterAll(cleanUp);

it('a hostile studio, a stuck worker, a wrong clock and a slip of support harm no other studio', async () => {
  const results = await runAttacks(ATTACKS, () => {});
  expect(results.map(({ name, harm, refused }) => ({ name, harm, refused }))).toEqual(
    ATTACKS.map(({ name }) => ({ name, harm: [], refused: [] })),
  );
  expect(Math.min(...results.map(({ requests }) => requests))).toBeGreaterThan(0);
}, 300_000);
