import { check, checkEqual, type Device, type Exchange } from '../exchange.js';
import type { Run } from '../run.js';
import type { ScriptedServer } from '../scripted-server.js';

const types = (server: ScriptedServer) => server.stored.map(({ eventType }) => eventType).toSorted();
const installs = (server: ScriptedServer) => new Set(server.stored.map(({ installId }) => installId)).size;

async function send(client: Run, ...eventTypes: string[]): Promise<void> {
  for (const type of eventTypes) await client.track(type);
  await client.flush();
}

const WHY =
  'A backup restored on a second phone uses the same numbers for other events, which the service takes for duplicates.';

export const COPIES: Exchange[] = [
  {
    name: 'copy-session-refused',
    rule: 'A storage whose session is refused may be a copy: what was tracked since the start gets a new installation.',
    why: WHY,
    async play({ server, newDevice }) {
      const device = await newDevice();
      const before = await device.start();
      await send(before, 'Before');
      await before.kill();
      const copy = await device.copy();
      const original = await device.start();
      await send(original, 'Original');
      // The other phone used the refresh token a second time, and the service has ended the session.
      server.endSessions();
      const second = await copy.start();
      await send(second, 'Copy');
      await send(original, 'Original, later');
      checkEqual(types(server), ['Before', 'Copy', 'Original', 'Original, later'], 'events stored');
    },
  },
  {
    name: 'copy-old-session',
    rule: 'A session older than five minutes is refreshed at the start, before anything is sent, so that a copy is noticed.',
    why: WHY,
    needs: 'clock',
    async play({ server, newDevice }) {
      const device = await newDevice();
      const before = await device.start();
      await before.login();
      await before.kill();
      const copy = await device.copy();
      const startLater = (where: Device, seconds: number) => {
        server.clockAheadMs = seconds * 1_000;
        return where.start({ clockAheadSeconds: seconds });
      };
      await send(await startLater(copy, 600), 'Copy');
      await send(await startLater(device, 1_200), 'Original');
      checkEqual(types(server), ['Copy', 'Original'], 'events stored');
      checkEqual(installs(server), 2, 'installations');
    },
  },
  {
    name: 'copy-numbers-taken',
    rule: 'Where some numbers of a batch were taken before it was ever sent, its events get a new installation and arrive.',
    why: WHY,
    async play({ server, newDevice }) {
      const device = await newDevice();
      const before = await device.start();
      await send(before, 'Before');
      await before.kill();
      const copy = await device.copy();
      await send(await copy.start(), 'S1', 'S2');
      const original = await device.start();
      await send(original, 'F1', 'F2', 'F3');
      await send(original, 'F4');
      checkEqual(types(server), ['Before', 'F1', 'F2', 'F3', 'F4', 'S1', 'S2'], 'events stored');
      checkEqual(installs(server), 2, 'installations');
    },
  },
  {
    name: 'copy-at-play',
    rule: 'Two copies that share a fresh session have different installations after two batches at most.',
    why: WHY,
    async play({ server, newDevice }) {
      const device = await newDevice();
      const before = await device.start();
      await before.login();
      await before.kill();
      const copy = await device.copy();
      const clients = [await device.start(), await copy.start()];
      for (const round of [0, 1, 2, 3]) {
        for (const n of [0, 1, 2]) await send(clients[round % 2] as Run, `Round ${round}.${n}`);
      }
      check(server.stored.length >= 10, `${12 - server.stored.length} events were lost, more than two`);
      checkEqual(installs(server), 2, 'installations');
    },
  },
  {
    name: 'delivered-twice',
    rule: 'A request that the network delivers twice is no copy: the installation stays, and nothing is doubled.',
    why: 'A new installation for each such request would double its events.',
    async play({ server, start }) {
      const client = await start();
      for (const n of [1, 2, 3, 4, 5, 6]) {
        if (n % 2 === 1) server.script('/v1/events', { kind: 'twice' });
        await send(client, `Step ${n}`);
      }
      checkEqual(server.stored.length, 6, 'events stored');
      checkEqual(installs(server), 1, 'installations');
    },
  },
];
