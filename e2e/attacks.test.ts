/** @module-tag full */
import { afterAll, expect, it } from 'vitest';
import { ATTACKS } from './attacks/attacks.js';
import { runAttacks } from './attacks/run-attacks.js';
import { cleanUp } from './support/service.js';

/**
 * `npm run attacks` tries all, and holds the honest requests to a time limit. Here `wrong-clock.test.ts` tests a node whose clock is
 * wrong: one beside this service would take seconds of CPU to start.
 */
const TRIED = ATTACKS.filter(({ name }) => !name.includes('clock'));

afterAll(cleanUp);

it('a hostile studio, a stuck worker and a slip of support harm no other studio', async () => {
  const results = await runAttacks(TRIED, () => {});
  expect(results.map(({ name, harm, refused }) => ({ name, harm, refused }))).toEqual(
    TRIED.map(({ name }) => ({ name, harm: [], refused: [] })),
  );
  expect(Math.min(...results.map(({ requests }) => requests))).toBeGreaterThan(0);
}, 900_000);
