import { afterAll, beforeAll, expect, it } from 'vitest';
import { experiment } from '../../decide/support/fixtures.js';
import { runCommand } from '../../support/command.js';
import { gameDocument, get, offer, publish, sku } from '../../support/data-calls.js';
import { createHarness, type Harness, postEvents, type Session } from '../../support/harness.js';

let harness: Harness;
let session: Session;
/** The command goes by the real clock, so all of it happens some time ago. */
let boughtAt: number;
const iso = (ms: number) => new Date(ms).toISOString();
beforeAll(async () => {
  harness = await createHarness();
  harness.clock.advance(-60_000);
  session = await harness.login();
  const thanks = offer('thank_you', { when: 'flags.isPayer', effect: { price: { discountPercent: '25' } } });
  await publish(
    harness.pool,
    {
      ...gameDocument([sku('gems', { actualPrice: '10', offerPrice: '10' })], { offers: [thanks] }),
      experiments: [experiment('price_test', { state: 'planned' })],
    },
    harness.clock.now(),
  );
  harness.clock.advance(1000);
  boughtAt = harness.clock.now();
  const payload = { price: '10', currency: 'USD' };
  await postEvents(harness.app, session, [{ eventType: 'Purchase', timestamp: iso(boughtAt), payload }]);
});
afterAll(() => harness.close());

const explain = (...args: string[]) =>
  runCommand(harness.databaseUrl, 'explain', ...args, '--tenant', 'demo-studio', '--game', 'demo-game');

it('tells people why, section by section', async () => {
  const { out, errors, code } = await explain('--player', session.userId, '--at', iso(boughtAt));
  expect({ errors, code }).toEqual({ errors: '', code: 0 });
  expect(out).toContain(
    `Player ${session.userId} at ${iso(boughtAt)}, under version 2, from the stored events.`,
  );
  expect(out).toContain(`\nFlags\n  Flag isPayer is true: the last purchase was at ${iso(boughtAt)}.\n`);
  expect(out).toContain(
    '\nSegments\n  In segment new_player: daysSinceFirstSeen < 7 is true (daysSinceFirstSeen = 0).\n',
  );
  expect(out).toContain(
    '\nOffers\n  Offer thank_you applies: flags.isPayer is true (flags["isPayer"] = true).\n',
  );
  expect(out).toContain('\nStore\n  gems costs 7.50 USD: catalogue 10.00; offer thank_you asked for 7.50.\n');
  expect(out).toContain('\nExperiments\n  Not in experiment price_test: it has not started.\n');
  const before = await explain('--player', session.userId, '--at', iso(boughtAt - 1));
  expect(before.out).toContain('gems costs 10.00 USD: catalogue 10.00.');
});

it('prints everything there is as JSON, also under another version', async () => {
  const json = async (...args: string[]) =>
    JSON.parse((await explain('--player', session.userId, '--json', ...args)).out);
  const store = await get(harness.app, '/v1/player/store_configs', session);
  expect(await json()).toMatchObject({
    source: 'current row',
    facts: { purchaseCount: 1 },
    decision: { storeText: store.body, storeEtag: store.headers.etag },
  });
  expect(await json('--config-version', 'draft')).toMatchObject({ version: 'draft' });
});

it('says what cannot be explained', async () => {
  const refusal = async (...args: string[]) => (await explain(...args)).errors;
  expect(await refusal('--player', 'nobody')).toContain('demo-studio/demo-game has no player "nobody".');
  expect(await refusal('--player', session.userId, '--at', 'noon')).toContain('--at is "noon"');
  expect(await refusal('--player', session.userId, '--config-version', '9')).toContain(
    'There is no version 9',
  );
});
