import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createLiveTails } from '../../../src/insight/live/live-tail.js';
import { findGame } from '../../../src/platform/admin-api/tenants.js';
import { addMember } from '../../../src/studio/accounts/account-changes.js';
import { removeMember } from '../../../src/studio/accounts/members.js';
import { revokeAdminToken } from '../../../src/studio/admin-api/admin-tokens.js';
import { addPerson, tenantIdOf } from '../../support/account-calls.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError } from '../../support/data-calls.js';
import { createHarness, type Harness, postEvents, type Session } from '../../support/harness.js';
import { demoGameId } from '../../support/registry-calls.js';
import { recordStatements } from '../../support/sent-statements.js';
import { addStudio } from '../../support/session-calls.js';

let harness: Harness;
let admin: AdminClient;
let url: string;
let session: Session;
const open = new Set<AbortController>();
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
  await admin.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = admin.app.server.address() as AddressInfo;
  url = `http://127.0.0.1:${port}/admin/v1`;
  session = await harness.login();
});
afterEach(() => {
  for (const hangUp of open) hangUp.abort();
  open.clear();
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

type Message = { id?: string; event?: string; data?: Record<string, unknown> };

/** A connection to the live tail that gives its messages one by one. */
async function watch(options: { token?: string; cookie?: string; lastId?: string; path?: string } = {}) {
  const { token = admin.tokens.viewer, cookie, lastId, path = `${GAME}/events/live` } = options;
  const hangUp = new AbortController();
  open.add(hangUp);
  const response = await fetch(`${url}${path}`, {
    headers: {
      ...(cookie === undefined ? { authorization: `Bearer ${token}` } : { cookie }),
      ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
    },
    signal: hangUp.signal,
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(response.headers.get('cache-control')).toBe('no-store');
  const messages = readMessages(response);
  const next = async (kind: string): Promise<Message | undefined> => {
    for (;;) {
      const { value, done } = await messages.next();
      if (done === true) return undefined;
      if (value.event === kind) return value;
    }
  };
  return { next, hangUp: () => hangUp.abort() };
}

async function* readMessages(response: Response): AsyncGenerator<Message> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    const parts = text.split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts) yield toMessage(part);
  }
}

function toMessage(part: string): Message {
  const message: Message = {};
  for (const line of part.split('\n')) {
    const [, name, value = ''] = /^(\w+): (.*)$/.exec(line) ?? [];
    if (name === 'id' || name === 'event') message[name] = value;
    if (name === 'data') message.data = JSON.parse(value);
  }
  return message;
}

let sent = 0;
async function send(eventType: string, count = 1, from = session): Promise<void> {
  harness.clock.advance(1);
  const timestamp = new Date(harness.clock.now()).toISOString();
  const events = Array.from({ length: count }, () => ({ eventType, timestamp, payload: { n: ++sent } }));
  expect((await postEvents(harness.app, from, events)).statusCode).toBe(202);
}

describe('the live tail', () => {
  it('shows events as they arrive, in order, and none from before', async () => {
    await send('Before');
    const tail = await watch();
    await send('First');
    const at = new Date(harness.clock.now()).toISOString();
    const message = await tail.next('event');
    expect(message).toEqual({
      event: 'event',
      id: expect.stringMatching(/^\d+-\d+-1$/),
      data: {
        receivedAt: at,
        playerId: session.userId,
        eventType: 'First',
        timestamp: at,
        payload: { n: sent },
        metadata: {},
      },
    });
    await send('Second', 3);
    const rest = [await tail.next('event'), await tail.next('event'), await tail.next('event')];
    expect(rest.map((each) => each?.data?.payload)).toEqual([{ n: sent - 2 }, { n: sent - 1 }, { n: sent }]);
  });

  it('tells how many events arrive, also those that are too many to show', async () => {
    const tail = await watch();
    await send('Many', 300);
    let [events, shown] = [0, 0];
    while (events < 300) {
      const rate = await tail.next('rate');
      events += Number(rate?.data?.events);
      shown += Number(rate?.data?.shown);
    }
    expect([events, shown]).toEqual([300, 100]);
  });

  it('goes on where it was after a break, without a gap and without showing anything twice', async () => {
    const tail = await watch();
    await send('Seen');
    const seen = await tail.next('event');
    tail.hangUp();
    await send('Missed', 2);
    await send('Missed', 1);
    const again = await watch({ lastId: seen?.id ?? '' });
    await send('New');
    const types: unknown[] = [];
    while (types.at(-1) !== 'New') types.push((await again.next('event'))?.data?.eventType);
    expect(types).toEqual(['Missed', 'Missed', 'Missed', 'New']);
  });

  it.each(['', 'x', '1-2', '1-2-3', '999999999999999-1-1', "1-2-3'; --"])(
    'begins anew where the last id is %j',
    async (lastId) => {
      const tail = await watch({ lastId });
      await send('Anew');
      expect(await tail.next('event')).toMatchObject({ data: { eventType: 'Anew' } });
    },
  );

  it('ends when the token is revoked, and says why', async () => {
    const token = await admin.addToken('viewer', { name: 'for a while' });
    const tail = await watch({ token });
    const [, tokenId = ''] = /^sp_admin_([0-9a-f]+)_/.exec(token) ?? [];
    await revokeAdminToken(harness.pool, tokenId, { name: 'test', nowMs: harness.clock.now() });
    expect(await tail.next('end')).toEqual({ event: 'end', data: { code: 'token_invalid' } });
    expect(await tail.next('event')).toBeUndefined();
  });

  it('ends for a person who is no longer a member of the studio, but of another one', async () => {
    await addStudio(harness, 'second-studio', 'second-game');
    const person = await addPerson(harness, admin, 'viewer');
    const tenantId = await tenantIdOf(harness, 'second-studio');
    const actor = { name: 'test', nowMs: harness.clock.now() };
    const member = {
      email: person.email,
      name: 'Mallory',
      role: 'viewer',
      tenantId,
      linkExpiresAt: 0,
    } as const;
    expect(await addMember(harness.pool, member, actor)).toMatchObject({ outcome: 'added' });
    const tail = await watch({ cookie: person.cookie });
    const demoTenantId = await tenantIdOf(harness, 'demo-studio');
    const { accountId } = person;
    await removeMember(harness.pool, { tenantId: demoTenantId, accountId }, actor);
    expect(await tail.next('end')).toEqual({ event: 'end', data: { code: 'not_a_member' } });
  });

  it('is of one game: nothing of another studio is shown', async () => {
    const studio = await addStudio(harness, 'other-studio', 'other-game');
    const stranger = await studio.login('stranger');
    const token = await admin.addToken('viewer', { tenant: 'other-studio' });
    const theirs = await watch({ token, path: '/games/other-game/events/live' });
    const ours = await watch();
    await send('Ours');
    await send('Theirs', 1, stranger);
    expect(await theirs.next('event')).toMatchObject({
      data: { eventType: 'Theirs', playerId: stranger.userId },
    });
    expect(await ours.next('event')).toMatchObject({ data: { eventType: 'Ours' } });
    await send('Ours again');
    expect(await ours.next('event')).toMatchObject({ data: { eventType: 'Ours again' } });
    const refused = await admin.call('GET', `${GAME}/events/live`, undefined, token);
    expectGeneralError(refused, 404, 'game_not_found');
    expect((await admin.call('GET', `${GAME}/events/live`, undefined, null)).statusCode).toBe(401);
  });

  it('polls once for all listeners of a game, and not at all without listeners', async () => {
    const { pool, clock } = harness;
    const tails = createLiveTails({ pool, clock, logger: pino({ level: 'silent' }) });
    const gameId = await demoGameId(pool);
    const busy = await addStudio(harness, 'busy-studio', 'busy-game');
    const busyId = (await findGame(pool, busy.tenant, busy.game))?.id ?? 0;
    /** Looks for events of the demo game while another game is looked at some times. */
    const looksMeanwhile = async () => {
      let ticks = 0;
      const sentMeanwhile = await recordStatements(async () => {
        await new Promise<void>((resolve) => {
          void tails
            .listen(busyId, () => {
              if (++ticks === 4) resolve();
            })
            .then((leave) => cleanUps.push(leave));
        });
      });
      for (const cleanUp of cleanUps.splice(0)) cleanUp();
      const looks = sentMeanwhile.filter(({ name }) => name === 'list_newest_blocks');
      return looks.filter(({ values }) => values[0] === gameId).length;
    };
    const cleanUps: (() => void)[] = [];
    const leave = [];
    for (let n = 0; n < 5; n++) leave.push(await tails.listen(gameId, () => {}));
    const looks = await looksMeanwhile();
    expect(looks).toBeGreaterThan(0);
    expect(looks).toBeLessThan(10);
    for (const each of leave) each();
    // One that was on its way.
    await looksMeanwhile();
    expect(await looksMeanwhile()).toBe(0);
    tails.stop();
  });

  it('shows what arrived while it could not look for a while', async () => {
    const { pool, clock } = harness;
    let lookedMs = 0;
    const now = () => {
      lookedMs = clock.now();
      return lookedMs;
    };
    const tails = createLiveTails({ pool, clock: { now }, logger: pino({ level: 'silent' }) });
    const ages: number[] = [];
    await tails.listen(await demoGameId(pool), ({ rows }) =>
      ages.push(...rows.map(({ receivedMs }) => lookedMs - receivedMs)),
    );
    // Until a look finds an event half a minute late: another one may come before the clock is moved.
    for (let n = 1; (ages.at(-1) ?? 0) < 30_000; n++) {
      await send('Late');
      clock.advance(30_000);
      await expect.poll(() => ages).toHaveLength(n);
    }
    tails.stop();
  });

  it('has a limit for each studio, and a place for the next when one hangs up', async () => {
    const connect = async () => {
      const hangUp = new AbortController();
      open.add(hangUp);
      const response = await fetch(`${url}${GAME}/events/live`, {
        headers: { authorization: `Bearer ${admin.tokens.viewer}` },
        signal: hangUp.signal,
      });
      return { status: response.status, wait: response.headers.get('retry-after'), hangUp };
    };
    const connected = [];
    let last = await connect();
    for (; last.status === 200 && connected.length <= 20; last = await connect()) connected.push(last);
    expect(connected.length).toBeLessThanOrEqual(20);
    expect(last).toMatchObject({ status: 429, wait: expect.stringMatching(/^\d+$/) });
    connected[0]?.hangUp.abort();
    await expect.poll(async () => (await connect()).status).toBe(200);
  });
});
