import { check, checkEqual, type Exchange } from '../exchange.js';

export const RESTARTS: Exchange[] = [
  {
    name: 'restart-with-unsent',
    rule: 'Events that were stored and not sent are sent after the next start, without a call of the game, with the same numbers and installation.',
    why: 'Games are killed, not closed.',
    async play({ server, newDevice, until }) {
      const device = await newDevice();
      const first = await device.start();
      const ids = [await first.track('Step', { n: 1 })];
      await first.flush();
      server.isReachable = false;
      for (const n of [2, 3]) ids.push(await first.track('Step', { n }));
      await first.flush();
      ids.push(await first.track('Step', { n: 4 }));
      await first.saved();
      await first.kill();
      server.isReachable = true;
      const second = await device.start();
      await until('four events have arrived', () => server.stored.length === 4);
      ids.push(await second.track('Step', { n: 5 }));
      await second.flush();
      checkEqual(
        server.stored.map(({ seq, eventId }) => [seq, eventId]),
        ids.map((id, index) => [index + 1, id]),
        'numbers and ids of the events',
      );
      checkEqual(new Set(server.stored.map(({ installId }) => installId)).size, 1, 'installations');
      checkEqual(server.to('/auth/login').length, 1, 'logins: the session survives a restart');
    },
  },
  {
    name: 'killed-while-sending',
    rule: 'A batch that was on its way when the game was killed is sent again unchanged; newer events go into another one.',
    why: 'The client cannot know whether the service has taken the batch.',
    async play({ server, newDevice, until }) {
      const device = await newDevice();
      const first = await device.start();
      await first.login();
      server.script('/v1/events', { kind: 'hold', until: new Promise(() => {}) });
      await first.track('Step', { n: 1 });
      first.flush().catch(() => {});
      await until('the batch has arrived', () => server.stored.length === 1);
      await first.kill();
      const second = await device.start();
      await second.track('Step', { n: 2 });
      await second.flush();
      await until('two events have arrived', () => server.stored.length === 2);
      const [lost, again] = server.batches();
      checkEqual(again, lost, 'the batch when it is sent again');
      checkEqual(
        server.stored.map(({ seq, payload }) => [seq, payload.n]),
        [
          [1, 1],
          [2, 2],
        ],
        'numbers of the events',
      );
    },
  },
  {
    name: 'storage-wiped',
    rule: 'An empty storage starts a new installation, with numbers from 1.',
    why: 'Numbers that were used before would be taken for duplicates.',
    async play({ server, newDevice }) {
      for (const n of [1, 2]) {
        const client = await (await newDevice()).start();
        await client.track('Step', { n });
        await client.flush();
        await client.kill();
      }
      checkEqual(
        server.stored.map(({ seq, payload }) => [seq, payload.n]),
        [
          [1, 1],
          [1, 2],
        ],
        'numbers of the events',
      );
      const [one, two] = server.stored.map(({ installId }) => installId);
      check(one !== two, 'both installations have the same X-Install-Id');
    },
  },
];
