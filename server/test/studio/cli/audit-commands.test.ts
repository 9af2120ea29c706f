import { hostname, userInfo } from 'node:os';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { insertAuditEntry } from '../../../src/platform/admin-api/audit-log.js';
import { transaction } from '../../../src/platform/db/pool.js';
import { rotateSigningKey } from '../../../src/studio/sessions/signing-key-changes.js';
import { type Finished, runCommand } from '../../support/command.js';
import { createHarness, type Harness, testActor } from '../../support/harness.js';
import { addStudio } from '../../support/session-calls.js';

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
  await addStudio(harness, 'other-studio', 'other-game');
});
afterAll(() => harness.close());

const run = (...args: string[]): Promise<Finished> => runCommand(harness.databaseUrl, 'audit', ...args);
const heads = ({ out }: Finished) => out.split('\n').filter((line) => line.startsWith('#'));
const idsOf = (result: Finished) => heads(result).map((line) => Number(/^#(\d+)/.exec(line)?.[1]));

it('lists the whole installation, a studio, a game, or what belongs to no studio', async () => {
  await runCommand(
    harness.databaseUrl,
    'game',
    'set',
    'other-game',
    '--tenant',
    'other-studio',
    '--retention-days',
    '30',
  );
  const actor = testActor(harness.clock.now());
  const { kid } = await rotateSigningKey(harness.pool, harness.masterKeys, actor, { immediately: false });

  const all = await run('list', '--limit', '2');
  expect(all.code, all.errors).toBe(0);
  const time = new Date(actor.nowMs).toISOString();
  expect(heads(all)[0]).toMatch(/^#\d+ {2}/);
  expect(heads(all)[0]).toContain(`${time}  the installation  test  signing_key.rotate  signing key ${kid}`);
  const who = `${userInfo().username}@${hostname()}`;
  expect(heads(all)[1]).toContain(`other-studio/other-game  ${who}  game.update  game other-game`);
  expect(all.out).toContain(
    '    before {"name":"other-game","unregisteredTypes":"accept","retentionDays":null,"erasureWaitDays":0,"erasurePage":false}\n',
  );
  expect(all.out).toContain(
    '    after  {"name":"other-game","unregisteredTypes":"accept","retentionDays":30,"erasureWaitDays":0,"erasurePage":false}\n',
  );

  expect(heads(await run('list', '--tenant', 'other-studio'))).toEqual([heads(all)[1]]);
  expect(heads(await run('list', '--tenant', 'other-studio', '--game', 'other-game'))).toEqual([
    heads(all)[1],
  ]);
  const installation = heads(await run('list', '--installation'));
  expect(installation).toHaveLength(2);
  for (const line of installation) expect(line).toContain('  the installation  ');
  const demo = heads(await run('list', '--tenant', 'demo-studio'));
  expect(demo.length).toBeGreaterThanOrEqual(4);
  for (const line of demo) expect(line).toMatch(/ {2}demo-studio(?:\/demo-game)? {2}savepoint {2}/);
});

it('tells people and tokens of one name apart', async () => {
  const entry = {
    tenantId: null,
    gameId: null,
    action: 'master_key.rotate',
    before: null,
    after: null,
  } as const;
  const account = { accountId: crypto.randomUUID(), email: 'sam@studio.example' };
  await transaction(harness.pool, async (client) => {
    const actor = { name: 'Sam', nowMs: harness.clock.now() };
    await insertAuditEntry(client, { ...actor, account }, { ...entry, target: 'a' });
    await insertAuditEntry(client, { ...actor, tokenId: '3f9a1c0b7d2e4f68' }, { ...entry, target: 'b' });
  });
  const [byToken, byPerson] = heads(await run('list', '--limit', '2'));
  expect(byPerson).toContain('  Sam <sam@studio.example>  master_key.rotate  a');
  expect(byToken).toContain('  Sam (token 3f9a1c0b7d2e4f68)  master_key.rotate  b');
  const { out } = await run('show', /^#(\d+)/.exec(byPerson ?? '')?.[1] ?? '');
  expect(out).toContain('By      Sam <sam@studio.example>\n');
});

it('goes on where the last page ended', async () => {
  const everything = idsOf(await run('list', '--limit', '1000'));
  expect(everything).toEqual(everything.toSorted((a, b) => b - a));
  const first = await run('list', '--limit', '3');
  expect(idsOf(first)).toEqual(everything.slice(0, 3));
  expect(first.out).toContain(`--before ${everything[2]}`);
  const second = await run('list', '--limit', '1000', '--before', String(everything[2]));
  expect(idsOf(second)).toEqual(everything.slice(3));
  expect((await run('list', '--before', String(everything.at(-1)))).out).toBe(
    'There are no older entries.\n',
  );
});

it('shows an entry in full, and shortens it in the list', async () => {
  const long = 'x'.repeat(1_000);
  await transaction(harness.pool, (client) =>
    insertAuditEntry(client, testActor(), {
      tenantId: null,
      gameId: null,
      action: 'master_key.rotate',
      target: 'escape \u001b[31m',
      before: null,
      after: { long },
    }),
  );
  const list = await run('list', '--limit', '1');
  expect(list.out).not.toContain(long);
  expect(list.out).toContain('escape \\u001b[31m');
  const { out } = await run('show', String(idsOf(list)[0]));
  expect(out).toContain(`Entry   #${idsOf(list)[0]} of the installation\n`);
  expect(out).toContain('Action  master_key.rotate\n');
  expect(out).toContain('Before  null\n');
  expect(out).toContain(long);
  expect(out).not.toContain('\u001b');
});

it.each([
  [['list', '--game', 'demo-game'], '--game needs --tenant'],
  [['list', '--installation', '--tenant', 'demo-studio'], 'not both'],
  [['list', '--tenant', 'nobody'], 'There is no tenant "nobody". List them: savepoint tenant list'],
  [['list', '--tenant', 'demo-studio', '--game', 'nothing'], 'There is no game "nothing"'],
  [['list', '--limit', '1001'], 'from 1 to 1000'],
  [['list', '--limit', 'x'], '--limit is "x"'],
  [['show', '999999999'], 'There is no entry #999999999'],
  [['show', 'x'], 'The id is "x"'],
])('%j says what is wrong', async (args, message) => {
  const { code, errors } = await run(...args);
  expect(code).toBe(1);
  expect(errors).toContain(message);
});
