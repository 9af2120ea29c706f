import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '../../support/command.js';
import { gameDocument, publish, sku } from '../../support/data-calls.js';
import { createHarness, type Harness } from '../../support/harness.js';

const gems = sku('gems', { actualPrice: '5', offerPrice: '4.50' });
const document = gameDocument([gems], { payerForDays: 30 });

describe('savepoint config', () => {
  let harness: Harness;
  let folder: string;
  beforeAll(async () => {
    harness = await createHarness();
    folder = await mkdtemp(join(tmpdir(), 'savepoint-config-'));
  });
  afterAll(async () => {
    await harness.close();
    await rm(folder, { recursive: true });
  });
  const config = (...args: string[]) =>
    runCommand(harness.databaseUrl, 'config', ...args, '--tenant', 'demo-studio', '--game', 'demo-game');

  test('publishes what the next request serves, and shows it again', async () => {
    const file = join(folder, 'document.json');
    await writeFile(file, JSON.stringify(document));
    const session = await harness.login();
    const published = await config('publish', '--file', file, '--note', 'fewer');
    expect(published.out).toContain('Published version 2');
    const store = await harness.app.inject({ url: '/v1/player/store_configs', headers: session.headers });
    expect(store.body).toContain('"actualPrice":5.00,"offerPrice":4.50');
    expect(JSON.parse((await config('show')).out)).toEqual(document);
    expect((await config('show', '--config-version', '1')).out).toContain('starter_pack');
  });

  test('says what is wrong, and publishes nothing', async () => {
    const file = join(folder, 'bad.json');
    await writeFile(file, '{"store":');
    expect((await config('publish', '--file', file)).errors).toContain('is not JSON');
    await writeFile(file, JSON.stringify(gameDocument([{ ...gems, offerPrice: '6' }])));
    expect((await config('publish', '--file', file)).errors).toContain('cannot be published');
    const misspelt = {
      segmentId: 'x',
      name: 'X',
      rule: 'purchase.total > 1',
      visibleToClients: true,
      priority: 0,
    };
    await writeFile(file, JSON.stringify(gameDocument([gems], { segments: [misspelt] })));
    expect((await config('publish', '--file', file)).errors).toContain(
      'segment "x" (/segments/0/rule, line 1, column 1 of the rule)',
    );
    expect((await config('publish', '--file', join(folder, 'none'))).errors).toContain('cannot be read');
    expect((await config('show', '--config-version', '99')).errors).toContain('There is no version 99');
  });

  test('lists the versions and goes back to one of them', async () => {
    const listed = await config('list');
    expect(listed.out).toMatch(/^\* 2 .* fewer\n {2}1 .* Demo catalogue\n$/s);
    const back = await config('roll-back', '--config-version', '1', '--note', 'no good');
    expect(back.out).toContain('Published version 3');
    expect(back.out).toContain('added     catalogue/starter_pack');
    expect((await config('list')).out).toMatch(/^\* 3 .*\(version 1 again\) {2}no good$/m);
    expect((await config('show')).out).toEqual((await config('show', '--config-version', '1')).out);
    expect((await config('roll-back', '--config-version', '1')).out).toContain('Nothing to publish');
    expect((await config('roll-back', '--config-version', 'x')).errors).toContain('give a number');
  });

  test('publishes nothing over a version that the author has not seen', async () => {
    const file = join(folder, 'mine.json');
    await writeFile(file, JSON.stringify(gameDocument([gems, sku('mine')])));
    const shown = await config('show');
    expect(shown.errors).toBe('This is version 3; 3 is in force.\n');
    await publish(harness.pool, gameDocument([gems, sku('theirs')]), Date.now());

    for (const refused of [
      await config('publish', '--file', file, '--based-on', '3'),
      await config('roll-back', '--config-version', '2', '--based-on', '3'),
    ]) {
      expect(refused).toMatchObject({ code: 1, out: '' });
      expect(refused.errors).toContain('version 4, by test, is in force');
      expect(refused.errors).toContain('added     catalogue/theirs');
    }
    const older = await config('show', '--config-version', '3');
    expect(older.errors).toBe('This is version 3; 4 is in force.\n');
    const publishAt = (...args: string[]) => config('publish', ...args, '--based-on', '4');
    expect((await publishAt('--draft')).errors).toContain('give --based-on with --file');
    expect((await config('publish', '--file', file, '--based-on', '5')).errors).toContain('has no version');
    expect((await config('publish', '--file', file, '--based-on', 'x')).errors).toContain(
      '--based-on is "x"',
    );
    expect((await publishAt('--file', file)).out).toContain('Published version 5');
  });
});
