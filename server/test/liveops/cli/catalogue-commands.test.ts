import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readCatalogueCsv } from '../../../src/liveops/configs/catalogue/catalogue-csv.js';
import { findDraft } from '../../../src/liveops/configs/draft.js';
import { publishConfig } from '../../../src/liveops/configs/publish.js';
import { configWith, sku, value } from '../../decide/support/fixtures.js';
import { runCommand } from '../../support/command.js';
import { createGameWorld, type GameWorld } from '../../support/game-world.js';

let world: GameWorld;
let gameId: number;
let folder: string;
beforeAll(async () => {
  world = await createGameWorld();
  folder = await mkdtemp(join(tmpdir(), 'savepoint-catalogue-'));
  gameId = await world.addGame('game');
  const document = configWith({ catalogue: [sku('a'), sku('b')] });
  await publishConfig(world.pool, { gameId, document, note: '' }, { name: 'test', nowMs: Date.now() });
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await world.close();
});

const savepoint = (...args: string[]) =>
  runCommand(world.url, ...args, '--tenant', world.tenant, '--game', 'game');
const at = (name: string) => join(folder, name);
const draftSkus = async () => (await findDraft(world.pool, gameId)).document.catalogue;

it('a catalogue goes out to a file, is changed, comes back into the draft and is published', async () => {
  const out = await savepoint('catalogue', 'export', '--out', at('catalogue.csv'));
  expect(out).toMatchObject({ code: 0, out: `Wrote 2 SKUs to ${at('catalogue.csv')}.\n` });
  const text = await readFile(at('catalogue.csv'), 'utf8');
  await writeFile(at('catalogue.csv'), `\ufeff${text.replace('b,true', 'b,FALSE')}c,true,,,,USD,C,,,3,3\r\n`);

  const taken = await savepoint('catalogue', 'import', '--file', at('catalogue.csv'));
  expect(taken).toMatchObject({ code: 0, errors: '' });
  expect(taken.out).toContain(
    'The draft of studio/game was changed: 1 added, 1 changed, 0 removed, 1 as they were.',
  );
  expect(taken.out).toContain('savepoint config publish --tenant studio --game game --draft');
  expect((await draftSkus()).map(({ skuId, active }) => [skuId, active])).toEqual([
    ['a', true],
    ['b', false],
    ['c', true],
  ]);
  const published = await savepoint('catalogue', 'export', '--published');
  expect(readCatalogueCsv(published.out).rows.map((row) => row.sku)).toEqual([sku('a'), sku('b')]);

  const publication = await savepoint('config', 'publish', '--draft', '--note', 'from a file');
  expect(publication).toMatchObject({
    code: 0,
    out: expect.stringContaining('Published version 2 of studio/game'),
  });
  const after = await savepoint('catalogue', 'export', '--published', '--format', 'json');
  expect(JSON.parse(after.out)).toEqual(await draftSkus());
  expect((await savepoint('config', 'publish', '--draft')).out).toContain('Nothing to publish');

  const newest = await savepoint('config', 'list', '--limit', '1');
  expect(newest.out).toMatch(/^\* 2 .*from a file\n\nOlder ones: the same command with --before 2\n$/);
  expect((await savepoint('config', 'list', '--before', '2')).out).toMatch(/^ {2}1 .*\n$/);
  expect((await savepoint('config', 'list', '--before', '1')).out).toBe('There are no older versions.\n');
  expect((await savepoint('config', 'list', '--before', '2147483648')).errors).toContain(
    '--before is "2147483648": give a whole number from 1 to 2147483647.',
  );
});

it('a JSON file can replace all', async () => {
  await writeFile(at('new.json'), JSON.stringify([sku('z')]));
  const taken = await savepoint('catalogue', 'import', '--file', at('new.json'), '--mode', 'replace');
  expect(taken.out).toContain('1 added, 0 changed, 3 removed, 0 as they were.');
  expect(await draftSkus()).toEqual([sku('z')]);
});

it('a file is not taken over a draft that its author has not seen', async () => {
  const { revision } = await findDraft(world.pool, gameId);
  await writeFile(at('mine.json'), JSON.stringify([sku('mine')]));
  const importAt = (seen: number | string) =>
    savepoint('catalogue', 'import', '--file', at('mine.json'), '--revision', String(seen));
  const exported = await savepoint('catalogue', 'export');
  expect(exported.errors).toBe(`This is the catalogue of revision ${revision} of the draft.\n`);
  expect((await savepoint('catalogue', 'export', '--published')).errors).toBe(
    'This is the catalogue of version 2.\n',
  );

  const refused = await importAt(revision - 1);
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.errors).toContain(`the draft is at revision ${revision} now`);
  expect((await importAt('x')).errors).toContain('--revision is "x"');
  expect(await draftSkus()).toEqual([sku('z')]);
  expect((await importAt(revision)).out).toContain('1 added');
});

it('a file that changes nothing leaves the draft at its revision', async () => {
  const { revision } = await findDraft(world.pool, gameId);
  await savepoint('catalogue', 'export', '--out', at('same.csv'));
  for (const mode of ['merge', 'replace']) {
    const again = await savepoint('catalogue', 'import', '--file', at('same.csv'), '--mode', mode);
    expect(again).toMatchObject({
      code: 0,
      out: `The draft of studio/game already has the content of ${at('same.csv')}: nothing was changed.\n`,
    });
  }
  expect((await findDraft(world.pool, gameId)).revision).toBe(revision);
});

it('of a file with anything wrong in it nothing is taken, and everything is said', async () => {
  const before = await draftSkus();
  const header = 'skuId,active,hidden,from,until,defaultCurrency,name,description,assets,price:USD';
  await writeFile(
    at('bad.csv'),
    `${header}\r\na,perhaps,,,,USD,,,,1\r\nb,true,,,,USD,,,,1.234\r\nc,maybe,,,,USD,,,,1\r\n`,
  );
  const refused = await savepoint('catalogue', 'import', '--file', at('bad.csv'));
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.errors).toContain(`Nothing of ${at('bad.csv')} was taken:
  - row 2, active: Write true or false.
  - row 3, price:USD: An amount of USD has 2 decimals at most.
  - row 4, active: Write true or false.\n`);
  await writeFile(at('latin.csv'), Buffer.from([0x61, 0xe4]));
  expect((await savepoint('catalogue', 'import', '--file', at('latin.csv'))).errors).toContain(
    'is not UTF-8',
  );
  await writeFile(at('wide.csv'), Buffer.from(`\ufeff${header}`, 'utf16le'));
  expect((await savepoint('catalogue', 'import', '--file', at('wide.csv'))).errors).toContain('is UTF-16');
  expect((await savepoint('catalogue', 'import', '--file', at('x.txt'))).errors).toContain(
    'say which it is with --format',
  );
  expect((await savepoint('catalogue', 'import', '--file', at('none.csv'))).errors).toContain(
    'cannot be read',
  );
  expect(await draftSkus()).toEqual(before);
});

it.each([[[]], [['--draft', '--file', 'a']]])('publishing takes a file or the draft: %j', async (args) => {
  expect((await savepoint('config', 'publish', ...args)).errors).toContain(
    'Give --file or --draft, one of the two.',
  );
});

it('a file with a value of the wrong type is not published', async () => {
  const document = configWith({ values: [value('jump_height', { defaultValue: 'high' })] });
  await writeFile(at('wrong-value.json'), JSON.stringify(document));
  const refused = await savepoint('config', 'publish', '--file', at('wrong-value.json'));
  expect(refused.code).toBe(1);
  expect(refused.errors).toContain('The value must be a whole number.');
});
