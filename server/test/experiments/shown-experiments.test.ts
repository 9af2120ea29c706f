import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { experiment, segment } from '../decide/support/fixtures.js';
import { type AdminClient, openAdminClient } from '../support/admin-calls.js';
import { createHarness, type Harness } from '../support/harness.js';
import { addGame, addPlayers, at, dayOf, expose, NOW, publish, sum } from './support/experiment-world.js';

/** What is said beside the report, and without one. */

type Shown = {
  sentence: string;
  startedAt: string | null;
  report: {
    gates: { gate: string; isStopping: boolean; sentence: string }[];
    verdict: string;
    wouldChange: string[];
  } | null;
};

let harness: Harness;
let admin: AdminClient;

beforeAll(async () => {
  harness = await createHarness();
  harness.clock.set(NOW);
  admin = await openAdminClient(harness);
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

const viewed = <T = Shown>(path: string) =>
  admin.ask<T>('GET', `/games/${path}`, undefined, admin.tokens.viewer);

describe('an experiment that no rule reads', () => {
  const UNREAD = 'Nothing reads it: no rule asks for experiment("price"), so nobody can be exposed.';
  const reader = segment('treated', 'experiment("price") == "b"');
  let gameId: number;

  it('says so before its first report', async () => {
    gameId = await addGame(harness, 'unread');
    await publish(harness, gameId, [experiment('price')], { nowMs: at(3) });
    const { sentence } = await viewed('unread/experiments/price');
    expect(sentence.startsWith(`${UNREAD} Running`)).toBe(true);
  });

  it('has it as its verdict while nobody is in it', async () => {
    await sum(harness, { nowMs: at(1) });
    const { sentence, report } = await viewed('unread/experiments/price');
    expect(sentence).toBe(UNREAD);
    expect(report).toMatchObject({
      verdict: UNREAD,
      gates: [{ gate: 'not_read', isStopping: true, sentence: UNREAD }],
      wouldChange: ['A rule that reads experiment("price"): of a flag, segment, value or offer.'],
    });
  });

  it('does not say so once a rule reads it', async () => {
    await publish(harness, gameId, [experiment('price')], { nowMs: at(1), segments: [reader] });
    const { sentence, report } = await viewed('unread/experiments/price');
    expect(sentence).toContain('Too few players');
    expect(report?.gates.map(({ gate }) => gate)).toEqual(['too_few']);
  });

  it('is a remark where players are in it, because a rule read it before', async () => {
    const [player] = await addPlayers(harness, gameId, 1, at(3));
    if (player === undefined) throw new Error('no player');
    await expose(harness, [player], experiment('price'), () => ({ variantId: 'b', exposedAt: at(1) }));
    await publish(harness, gameId, [experiment('price')], { nowMs: NOW });
    await sum(harness, { nowMs: NOW + 86_400_000 });
    const { sentence, report } = await viewed('unread/experiments/price');
    expect(sentence).toContain('so nobody else can be exposed. Too few players');
    expect(report?.gates.map(({ gate, isStopping }) => [gate, isStopping])).toContainEqual([
      'not_read',
      false,
    ]);
  });
});

describe('a running experiment without a report', () => {
  const price = experiment('price');
  const reader = segment('treated', 'experiment("price") == "b"');

  it('says when the first one comes, by what it is measured, and who is in it so far', async () => {
    const gameId = await addGame(harness, 'early');
    await publish(harness, gameId, [price], { nowMs: at(1), segments: [reader] });
    const players = await addPlayers(harness, gameId, 5, at(1));
    await expose(harness, players, price, (_, n) => ({ variantId: n < 2 ? 'a' : 'b', exposedAt: at(0) }));
    const unseen = await viewed('early/experiments/price');
    expect(unseen.sentence).toBe('Running. The first report comes after the UTC day of the start.');
    // On the day of the start.
    await sum(harness, { nowMs: at(1) + 60_000 });
    const found = await viewed<Shown & { metrics: object[]; exposed: object }>('early/experiments/price');
    expect(found).toMatchObject({
      sentence: `Running since ${dayOf(at(1))}. The first report comes after ${dayOf(at(1))} (UTC).`,
      report: null,
      metrics: [{ title: 'Conversion', role: 'primary' }],
      exposed: {
        arms: [
          { variantId: 'a', players: 2 },
          { variantId: 'b', players: 3 },
        ],
        isBounded: false,
      },
    });
    await sum(harness);
    const reported = await viewed<Shown & { exposed: object | null }>('early/experiments/price');
    expect(reported.report).not.toBeNull();
    expect(reported.exposed).toBeNull();
  });
});

describe('an experiment that has ended', () => {
  const price = experiment('price');
  type Ended = Shown & {
    isFormer: boolean;
    endedAt: string | null;
    ending: { version: number; author: string; note: string } | null;
  };
  let gameId: number;

  it('says who ended it, when and why, and not what would change its verdict', async () => {
    gameId = await addGame(harness, 'ended');
    await publish(harness, gameId, [price], { nowMs: at(5) });
    await sum(harness, { nowMs: at(3) });
    const running = await viewed<Ended>('ended/experiments/price');
    expect(running).toMatchObject({ endedAt: null, ending: null });
    expect(running.report?.wouldChange).toHaveLength(1);
    await publish(harness, gameId, [{ ...price, state: 'stopped' }], { nowMs: at(2), note: 'A crash.' });
    await sum(harness, { nowMs: at(1) });
    const stopped = await viewed<Ended>('ended/experiments/price');
    expect(stopped).toMatchObject({
      ...{ isFormer: false, endedAt: new Date(at(2)).toISOString() },
      ending: { version: 2, author: 'test', note: 'A crash.' },
      report: { wouldChange: [] },
    });
  });

  it('also when it is not in the document any more', async () => {
    await publish(harness, gameId, [], { nowMs: at(1) });
    expect(await viewed<Ended>('ended/experiments/price')).toMatchObject({
      ...{ isFormer: true, ending: { version: 2, note: 'A crash.' }, report: { wouldChange: [] } },
    });
  });
});
