import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { readMessages } from '../src/api/server-events.js';
import { barOf, spanOf } from '../src/lib/calendar.js';
import { describeChange, describeClash } from '../src/lib/changes.js';
import { daysBefore } from '../src/lib/dashboard.js';
import { currenciesOf, freeId, isSame, moved, problemsUnder } from '../src/lib/document.js';
import { effectInWords } from '../src/lib/effect.js';
import { eventAsCurl } from '../src/lib/event-as-curl.js';
import { stepsDone } from '../src/lib/first-steps.js';
import { idFromName, isGameId } from '../src/lib/game-id.js';
import { metricsOf } from '../src/lib/grades.js';
import { sampleEvent } from '../src/lib/sample-event.js';
import { labelledPlaces, spacedPlaces, ticksUpTo } from '../src/lib/scale.js';
import { known, readSearch, writeSearch } from '../src/lib/search.js';
import { offer, sku } from './documents.js';

describe('a difference in words', () => {
  it('names the part and every value that changed', () => {
    const before = sku('gems', '1.00');
    const after = { ...sku('gems', '2.00'), active: false };
    expect(describeChange({ path: 'catalogue/gems', change: 'changed', before, after })).toEqual({
      path: 'catalogue/gems',
      kind: 'SKU',
      name: 'gems',
      change: 'changed',
      words: null,
      lines: [
        { label: 'prices › USD › actualPrice', before: '1.00', after: '2.00' },
        { label: 'prices › USD › offerPrice', before: '1.00', after: '2.00' },
        { label: 'active', before: 'true', after: 'false' },
      ],
    });
  });

  it('shows a new member, one that is gone, and a new order', () => {
    const change = describeChange({
      path: 'offers/weekend',
      change: 'changed',
      before: { when: null, skus: ['a'] },
      after: { skus: ['a', 'b'], promoId: 'x' },
    });
    expect(change.lines).toEqual([
      { label: 'when', before: 'none', after: null },
      { label: 'skus', before: 'a', after: 'a, b' },
      { label: 'promoId', before: null, after: 'x' },
    ]);
    const order = describeChange({
      path: 'offers',
      change: 'reordered',
      before: ['a', 'b'],
      after: ['b', 'a'],
    });
    expect(order).toMatchObject({ kind: 'Order of the offers', lines: [{ before: 'a, b', after: 'b, a' }] });
  });

  it('says what an offer does that has come or gone, and lists what is set of it', () => {
    const weekend = offer('weekend', { when: 'flags.isPayer', effect: { price: { setTo: { USD: '3' } } } });
    const added = describeChange({ path: 'offers/weekend', change: 'added', before: null, after: weekend });
    const lines = [
      ['name', 'weekend'],
      ['when', 'flags.isPayer'],
      ['sharePercent', '100'],
      ['skus', 'all'],
      ['effect › price › setTo › USD', '3'],
      ['combine', 'false'],
    ];
    expect(added).toMatchObject({ kind: 'Offer', name: 'weekend', words: 'USD 3.00 all SKUs' });
    expect(added.lines).toEqual(lines.map(([label, after]) => ({ label, before: null, after })));
    const removed = describeChange({
      path: 'offers/weekend',
      change: 'removed',
      before: weekend,
      after: null,
    });
    expect(removed.words).toBe(added.words);
    expect(removed.lines).toEqual(lines.map(([label, before]) => ({ label, before, after: null })));
  });

  it('says what each of two editors makes of a value', () => {
    const clash = { key: 'k', path: 'segments/whales', base: undefined };
    const thresholds = { prediction: 'churn', enterAbove: 0.7 };
    expect(
      describeClash({ ...clash, members: ['thresholds'], base: null, mine: thresholds, theirs: 'x' }),
    ).toEqual({
      label: 'Segment whales › thresholds',
      base: 'none',
      mine: 'prediction churn, enterAbove 0.7',
      theirs: 'x',
    });
    expect(describeClash({ ...clash, members: [], mine: undefined, theirs: thresholds })).toEqual({
      label: 'Segment whales',
      base: null,
      mine: 'removed',
      theirs: 'kept, as changed',
    });
  });
});

describe('documents', () => {
  it('moves entries, and not over the edges', () => {
    expect(moved(['a', 'b', 'c'], 2, 0)).toEqual(['c', 'a', 'b']);
    expect(moved(['a', 'b', 'c'], 0, -1)).toEqual(['a', 'b', 'c']);
    expect(moved(['a', 'b', 'c'], 0, 9)).toEqual(['b', 'c', 'a']);
  });

  it('lists the most frequent currency first', () => {
    const euros = { ...sku('b', '1.00'), prices: { EUR: { actualPrice: '1', offerPrice: '1' } } };
    expect(currenciesOf([euros, sku('a', '1.00'), sku('c', '2.00')])).toEqual(['USD', 'EUR']);
  });

  it('finds an id that is free', () => {
    expect(freeId('x', ['x', 'x_2'])).toBe('x_3');
  });

  it('finds the problems of a part, not those of one whose number begins the same', () => {
    const at = (pointer: string) => ({ pointer, subject: null, message: '', position: null });
    const found = problemsUnder([at('/offers/1'), at('/offers/1/when'), at('/offers/12/when')], '/offers/1');
    expect(found.map(({ member }) => member)).toEqual(['', 'when']);
  });

  it('compares without regard to the order of members', () => {
    expect([isSame({ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 }), isSame([1, 2], [2, 1])]).toEqual([true, false]);
  });
});

describe('an offer in words', () => {
  it.each([
    [offer('a'), '10% off all SKUs'],
    [
      offer('b', { skus: ['x', 'y'], sharePercent: 30, limitPerPlayer: 3, effect: { visibility: 'hide' } }),
      'hides x, y, 30% of players, 3 per player',
    ],
    [offer('c', { skus: ['x'], effect: { price: { setTo: { USD: '4.99' } } } }), 'USD 4.99 x'],
    [offer('d', { effect: { promoId: 'p' } }), 'promotion for all SKUs'],
  ])('%#', (given, words) => {
    expect(effectInWords(given)).toBe(words);
  });
});

describe('the calendar strip', () => {
  const now = Date.UTC(2026, 10, 16);

  it('shows five weeks, or as much as the offers need', () => {
    const days = ({ fromMs, untilMs }: ReturnType<typeof spanOf>) => (untilMs - fromMs) / 86_400_000;
    expect(days(spanOf([], now))).toBe(29);
    expect(days(spanOf([{ from: null, until: '2027-01-08T00:00:00Z' }], now))).toBe(61);
    expect(days(spanOf([{ from: null, until: '2029-01-01T00:00:00Z' }], now))).toBe(120);
  });

  it('cuts offers at its edges and leaves out what is over', () => {
    const span = { fromMs: now, untilMs: now + 10 * 86_400_000 };
    expect(barOf({ from: null, until: null }, span)).toEqual({ left: 0, width: 100 });
    expect(barOf({ from: '2026-11-21T00:00:00Z', until: '2026-11-22T00:00:00Z' }, span)).toEqual({
      left: 50,
      width: 10,
    });
    expect(barOf({ from: null, until: '2026-11-01T00:00:00Z' }, span)).toBeUndefined();
  });
});

describe('charts', () => {
  it('has round numbers from zero', () => {
    expect(ticksUpTo(37)).toEqual([0, 10, 20, 30, 40]);
    expect(ticksUpTo(1)).toEqual([0, 0.5, 1]);
    expect(ticksUpTo(1, { isCount: true })).toEqual([0, 1]);
    expect(ticksUpTo(3, { isCount: true })).toEqual([0, 1, 2, 3]);
    expect(ticksUpTo(37, { isCount: true })).toEqual([0, 10, 20, 30, 40]);
    expect(ticksUpTo(0.07)).toEqual([0, 0.02, 0.04, 0.06, 0.08]);
    expect(ticksUpTo(0)).toEqual([0, 1]);
  });

  it('labels as many places as there is room for, the last one always', () => {
    expect(labelledPlaces(30, 4)).toEqual([5, 13, 21, 29]);
    expect(labelledPlaces(3, 10)).toEqual([0, 1, 2]);
  });

  it('labels places that lie close together once, the last one always', () => {
    expect(spacedPlaces([0, 30, 100, 168, 169, 170], 70)).toEqual([1, 2, 5]);
    expect(spacedPlaces([5], 70)).toEqual([0]);
    expect(spacedPlaces([], 70)).toEqual([]);
  });
});

describe('addresses', () => {
  it('keep an id of digits as the text that it is', () => {
    expect(readSearch('?find=0012e5')).toEqual({ find: '0012e5' });
    expect(writeSearch({ find: '0012e5', segment: undefined, tab: '' })).toBe('?find=0012e5');
    expect(writeSearch({})).toBe('');
  });

  it('lose what a page does not know', () => {
    expect(known('tab', 'sku')({ tab: 'offers', evil: 'x', sku: 7 })).toEqual({ tab: 'offers' });
  });
});

describe('server-sent events', () => {
  it('are read message by message, and the rest waits for the next piece', () => {
    const seen: unknown[] = [];
    const rest = readMessages(
      ': hello\n\nid: 7\nevent: event\ndata: {"a":1}\n\ndata: line one\ndata: line two\r\n\r\nevent: rate\nda',
      (message) => seen.push(message),
    );
    expect(seen).toEqual([
      { event: 'event', data: '{"a":1}', id: '7' },
      { event: 'message', data: 'line one\nline two', id: '' },
    ]);
    expect(rest).toBe('event: rate\nda');
  });
});

describe('grades', () => {
  it('leave out what is not a number', () => {
    const decile = { players: 10, predicted: 0.1, observed: 0.2 };
    const metrics = { players: 100, auc: null, ece: 0.01, deciles: [decile, { players: 'x' }] };
    expect(metricsOf({ metrics })).toEqual({
      players: 100,
      auc: null,
      ece: 0.01,
      totalRatio: null,
      deciles: [decile],
    });
    expect(metricsOf({ metrics: null }).deciles).toEqual([]);
  });
});

describe('the first steps of a game', () => {
  const [silent, active] = [{ lastEventAt: null }, { lastEventAt: '2026-11-15T12:00:00.000Z' }];

  it('are done one after the other', () => {
    expect(stepsDone([], [])).toEqual({ hasKey: false, hasPlayer: false, hasEvent: false });
    expect(stepsDone([{ state: 'active' }], [])).toEqual({ hasKey: true, hasPlayer: false, hasEvent: false });
    expect(stepsDone([{ state: 'active' }], [silent])).toMatchObject({ hasPlayer: true, hasEvent: false });
    expect(stepsDone([{ state: 'active' }], [silent, active])).toMatchObject({ hasEvent: true });
  });

  it('need a key that works', () => {
    expect(stepsDone([{ state: 'revoked' }, { state: 'expired' }], []).hasKey).toBe(false);
    expect(stepsDone([{ state: 'revoked' }, { state: 'ending' }], []).hasKey).toBe(true);
  });

  it('take a player for a sign of a key where the keys are not shown', () => {
    expect(stepsDone(undefined, []).hasKey).toBe(false);
    expect(stepsDone(undefined, [silent]).hasKey).toBe(true);
  });
});

describe('the rest', () => {
  it('counts UTC days back over the end of a month', () => {
    expect(daysBefore('2026-03-01', 1)).toBe('2026-02-28');
  });

  it.each([
    ["Émile's Rocket 2", 'emile-s-rocket-2'],
    [' -- ', ''],
    ['ракета', ''],
    [`${'a'.repeat(62)} b`, 'a'.repeat(62)],
  ])('proposes for the game %j the id %j', (name, id) => {
    expect(idFromName(name)).toBe(id);
  });

  it.each(['rocket', '2048', 'a-', 'a'.repeat(63)])('takes %j as the id of a game', (id) => {
    expect(isGameId(id)).toBe(true);
  });

  it.each(['', '-a', 'Rocket', 'my game', 'rakéta', 'a\n', 'a'.repeat(64)])(
    'does not take %j as the id of a game',
    (id) => {
      expect(isGameId(id)).toBe(false);
    },
  );

  it('quotes a secret for the shell', () => {
    const sample = { playerUrl: 'http://x', studio: 'my-studio', apiKey: 'key', apiSecret: "it's" };
    expect(sampleEvent(sample)).toContain(`SECRET='it'\\''s'`);
  });

  it('makes a command of an event that sends it with the time of pasting, and asks for the token that it needs', () => {
    const payload = { name: `it's "x" $HOME \`id\` \n`, level: 7 };
    const event = { eventType: 'Level_Complete', payload, metadata: { clientBuild: '1.42' } };
    // Instead of sending, prints each argument in a line of its own.
    const script = `curl() { printf '%s\\n' "$@"; }\n${eventAsCurl('http://x', 'my-studio', event)}`;
    const run = (env: Record<string, string>) =>
      execFileSync('sh', ['-c', script], { env: { PATH: process.env.PATH, ...env }, stdio: 'pipe' });
    const words = run({ ACCESS_TOKEN: 'secret' }).toString().trimEnd().split('\n');
    expect(words).toEqual(
      expect.arrayContaining([
        'http://x/v1/events',
        'Authorization: Bearer secret',
        'X-Tenant-ID: my-studio',
      ]),
    );
    const [sent] = JSON.parse(words.at(-1) ?? '');
    expect(sent).toEqual({ ...event, timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}Z$/) });
    expect(() => run({})).toThrow('ACCESS_TOKEN');
  });
});
