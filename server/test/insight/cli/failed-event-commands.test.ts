import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../support/command.js';
import { playerAggregates, withoutRateLimits } from '../../support/data-calls.js';
import { createHarness, type Harness, postEvents, type Session } from '../../support/harness.js';
import { gameEvent, registerPayload } from '../../support/registry-calls.js';

const GAME = ['--tenant', 'demo-studio', '--game', 'demo-game'];

/** The commands as a person types them, beside a running service. */
describe('savepoint event-type, failed-events and losses', () => {
  let harness: Harness;
  let session: Session;
  let folder: string;
  beforeAll(async () => {
    harness = await createHarness({ settings: withoutRateLimits() });
    session = await harness.login('cli');
    folder = await mkdtemp(join(tmpdir(), 'savepoint-cli-'));
  });
  afterAll(async () => {
    await harness.close();
    await rm(folder, { recursive: true, force: true });
  });

  const savepoint = (...args: string[]) => runCommand(harness.databaseUrl, ...args);
  const file = async (name: string, content: unknown): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  };
  const post = (...events: unknown[]) => postEvents(harness.app, session, events);
  const eventCount = async () => Number((await playerAggregates(harness.pool, session.userId)).event_count);

  it('says so when there is nothing', async () => {
    const [types, failed, group, entry] = await Promise.all([
      savepoint('event-type', 'list', ...GAME),
      savepoint('failed-events', 'list'),
      savepoint('failed-events', 'replay', ...GAME, '--code', 'schema_mismatch'),
      savepoint('failed-events', 'show', '1'),
    ]);
    expect(types.out).toMatch(
      /^No event type of demo-studio\/demo-game is registered\. Register one: savepoint event-type/,
    );
    expect(failed.out).toBe('The inbox is empty: no event was refused in the last 30 days.\n');
    expect(group.out).toBe('There are no open entries of this kind.\n');
    expect(entry).toMatchObject({ code: 1, out: '' });
    expect(entry.errors).toMatch(/There is no entry #1\. List what there is: savepoint failed-events list/);
  });

  it('registers, lists, shows and retires a type', async () => {
    const schema = '{ "properties": { "payload": { "required": ["stars"], "requried": [] } } }';
    const register = ['event-type', 'register', 'Level_Complete', ...GAME, '--file'];
    const bad = await savepoint(...register, await file('bad.json', '{"type":"objet"}'));
    expect(bad).toMatchObject({ code: 1, out: '' });
    expect(bad.errors).toMatch(/bad\.json cannot be registered\. The schema is not valid: #\/type must be/);
    expect((await savepoint(...register, 'none.json')).errors).toMatch(/none\.json cannot be read/);
    const good = await savepoint(...register, await file('good.json', schema));
    expect(good.out).toBe(
      'Without effect: unknown keyword: "requried"\nRegistered version 1 of Level_Complete; every node checks by it from the next request on.\n',
    );
    expect((await post(gameEvent('Level_Complete', 1, harness.clock.now()))).statusCode).toBe(400);
    expect((await savepoint('event-type', 'list', ...GAME)).out).toMatch(
      /^Level_Complete {2}version 1 {2}by .+ active\n$/,
    );
    const shown = await savepoint('event-type', 'show', 'Level_Complete', ...GAME, '--schema-version', '1');
    expect(shown.out).toBe(`${schema}\n`);
    expect((await savepoint('event-type', 'retire', 'Level_Complete', ...GAME)).out).toMatch(
      /^Retired Level_Complete\./,
    );
    expect((await savepoint('event-type', 'retire', 'Level_Complete', ...GAME)).code).toBe(1);
    expect((await savepoint('event-type', 'list', ...GAME)).out).toMatch(/ retired \d{4}-/);
    expect((await savepoint('event-type', 'list', '--tenant', 'x', '--game', 'y')).errors).toMatch(
      /There is no tenant "x"/,
    );
  });

  it('lists, shows, corrects and replays one', async () => {
    const now = harness.clock.now();
    const bad = { ...gameEvent('Session_End', 2, now, { durationMs: -1 }), note: '\u001b[31m\u202e' };
    await post(bad);
    const listed = await savepoint('failed-events', 'list', ...GAME);
    expect(listed.out).toMatch(/demo-studio\/demo-game {2}payload_invalid {2}Session_End {2}1 entry\n/);
    const id = /payload_invalid.+\n.+\n +newest #(\d+): payload\.durationMs must/.exec(listed.out)?.[1] ?? '';
    const entries = await savepoint(
      'failed-events',
      'list',
      ...GAME,
      '--code',
      'payload_invalid',
      '--type',
      'Session_End',
    );
    expect(entries.out).toContain(`#${id}  `);
    const shown = await savepoint('failed-events', 'show', id);
    expect(shown.out).toContain('Path      /payload/durationMs\nState     open\n');
    for (const control of ['\u001b', '\u202e']) expect(shown.out).not.toContain(control);
    expect((await savepoint('failed-events', 'show', id, '--raw')).out).toBe(`${JSON.stringify(bad)}\n`);

    const still = await savepoint('failed-events', 'replay', id);
    expect(still).toMatchObject({ code: 1 });
    expect(still.errors).toMatch(
      /Still refused, payload_invalid: payload\.durationMs must be a number of 0 or more\./,
    );
    const before = await eventCount();
    const edited = await file('edited.json', { ...bad, payload: { durationMs: 1 } });
    expect((await savepoint('failed-events', 'replay', id, '--file', edited)).out).toBe(`Replayed #${id}.\n`);
    expect((await savepoint('failed-events', 'replay', id, '--file', edited)).out).toMatch(
      /was replayed before, \d{4}-/,
    );
    expect(await eventCount()).toBe(before + 1);
    expect((await savepoint('failed-events', 'show', id)).out).toMatch(
      /State {5}replayed [\s\S]+Replayed as:/,
    );
  });

  it('holds unregistered types, and replays all of a group after they are registered', async () => {
    const { pool, clock } = harness;
    expect((await savepoint('game', 'set', 'demo-game', '--tenant', 'demo-studio')).code).toBe(1);
    const hold = await savepoint(
      'game',
      'set',
      'demo-game',
      '--tenant',
      'demo-studio',
      '--unregistered-types',
      'hold',
    );
    expect(hold.out).toBe('Events of unregistered types of demo-studio/demo-game: hold.\n');
    await post(...Array.from({ length: 30 }, (_, n) => gameEvent('Held', n, clock.now())));
    const before = await eventCount();
    const replay = [
      'failed-events',
      'replay',
      ...GAME,
      '--code',
      'event_type_unregistered',
      '--type',
      'Held',
    ];
    const tooSoon = await savepoint(...replay);
    expect(tooSoon).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^Replayed 0 of 30 entries\.\n30 still fail/),
    });
    await registerPayload(pool, 'Held', true);
    expect((await savepoint(...replay)).out).toBe('Replayed 30 of 30 entries.\n');
    expect((await savepoint(...replay)).out).toBe('There are no open entries of this kind.\n');
    expect(await eventCount()).toBe(before + 30);
  });

  it('tells numbers that are missing now from those that are lost', async () => {
    expect((await savepoint('losses', ...GAME)).out).toBe('No numbered event is missing.\n');
    await harness.pool.query(
      `insert into event_gaps (player_id, install_id, first_seq, last_seq, game_id, noticed_at, client_build)
       select p.id, 'phone', g.first_seq, g.first_seq + 1, p.game_id, now() - g.ago, '1.2'
       from players p, (values (1, interval '3 days'), (11, interval '1 hour')) g(first_seq, ago)
       where p.user_id = $1`,
      [session.userId],
    );
    const [head, missing, still, lostHead, lost, given] = (await savepoint('losses', ...GAME)).out.split(
      '\n',
    );
    expect(head).toMatch(/^missing since +events +players +build +platform$/);
    expect(missing).toMatch(/^\S+Z +2 +1 +1\.2 +–$/);
    expect(still).toBe('2 events are missing now. They may still arrive: they count as lost after 24 hours.');
    expect(lostHead).toMatch(/^noticed +events/);
    expect(lost).toMatch(/^[\d-]{10} +2 +1 +1\.2 +–$/);
    expect(given).toBe('2 events are lost.');
    await harness.pool.query('delete from event_gaps');
  });

  it('says how to call it', async () => {
    const calls: [string[], RegExp][] = [
      [['failed-events', 'replay'], /Give --tenant, --game and --code of a group/],
      [['failed-events', 'replay', '1', '--code', 'x'], /Give either the id of an entry or/],
      [['failed-events', 'replay', ...GAME, '--code', 'x', '--file', 'y'], /--file corrects one entry/],
      [['failed-events', 'show', 'x'], /The id is "x": give a whole number\./],
      [['failed-events', 'list', '--game', 'demo-game'], /Give --tenant and --game together/],
      [
        ['game', 'set', 'demo-game', '--tenant', 'demo-studio', '--unregistered-types', 'x'],
        /Allowed choices are accept, hold/,
      ],
    ];
    for (const [args, message] of calls) {
      const run = await savepoint(...args);
      expect(run).toMatchObject({ code: 1, out: '' });
      expect(run.errors).toMatch(message);
    }
    expect((await savepoint('failed-events', 'replay', '--help')).out).toMatch(
      /show 381 --raw > event\.json/,
    );
    expect((await savepoint('event-type', 'register', '--help')).out).toMatch(/draft 2020-12/);
  });
});
