import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AdminClient, openAdminClient } from '../../support/admin-calls.js';
import { runCommand } from '../../support/command.js';
import { addExportedPlayer } from '../../support/exported-player.js';
import { createHarness, type Harness, type Session } from '../../support/harness.js';
import { addStudio } from '../../support/session-calls.js';

let harness: Harness;
let admin: AdminClient;
let session: Session;
let folder: string;
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
  session = await addExportedPlayer(harness, admin, 'exported');
  folder = await mkdtemp(join(tmpdir(), 'savepoint-export-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await admin.close();
  await harness.close();
});

const run = (player: string, ...rest: string[]) =>
  runCommand(
    harness.databaseUrl,
    ...['export', 'player', '--tenant', 'demo-studio', '--game', 'demo-game', '--player', player, ...rest],
  );

it('writes the document to a file that only its owner can read, and not over another file', async () => {
  const out = join(folder, 'player.json');
  const { errors, code } = await run(session.userId, '--out', out);
  expect({ errors, code }).toEqual({ errors: `Exported the player to ${out}.\n`, code: 0 });
  expect((await stat(out)).mode & 0o777).toBe(0o600);
  const exported = JSON.parse(await readFile(out, 'utf8'));
  expect(exported).toMatchObject({
    player: { playerId: session.userId },
    notes: [{ text: 'Wrote to support.' }],
  });
  expect(exported.events).toHaveLength(5);
  const again = await run(session.userId, '--out', out);
  expect(again.code).toBe(1);
  expect(again.errors).toContain('exists already');
  expect(JSON.parse(await readFile(out, 'utf8'))).toEqual(exported);
});

it('writes to standard output, and records it in the audit log', async () => {
  const { out, code } = await run(session.userId.toUpperCase());
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ player: { playerId: session.userId } });
  const { rows } = await harness.pool.query('select action, target from audit_log order by id desc limit 1');
  expect(rows).toEqual([{ action: 'player.export', target: `player ${session.userId}` }]);
});

it('finds no player of another studio, and leaves no file', async () => {
  const studio = await addStudio(harness, 'other-studio', 'other-game');
  const { userId } = await studio.login('theirs');
  for (const player of [userId, 'nobody']) {
    const { errors, code } = await run(player, '--out', join(folder, 'none.json'));
    expect(code).toBe(1);
    expect(errors).toContain(`demo-studio/demo-game has no player "${player}"`);
  }
  expect(await readdir(folder)).not.toContain('none.json');
});
