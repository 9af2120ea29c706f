import { describe, expect, it } from 'vitest';
import { compileDocument } from '../../../src/decide/compile/compile-document.js';
import { decide } from '../../../src/decide/decide/decide.js';
import type { ConfigDocument } from '../../../src/decide/document/document.js';
import type { AttributeEntry } from '../../../src/decide/document/parts/attributes.js';
import { keyOf, type OwnDefinition } from '../../../src/decide/own-attributes/own-definition.js';
import type { OwnFacts } from '../../../src/decide/own-attributes/own-facts.js';
import { OwnFold, type OwnState, ownSet } from '../../../src/decide/own-attributes/own-state.js';
import { readFacts, toFactsJson } from '../../../src/liveops/explanations/facts-json.js';
import {
  configWith,
  DAY_MS,
  experiment,
  facts,
  NOW,
  offer,
  problemsOf,
  segment,
  sku,
} from '../support/fixtures.js';

function attribute(attributeId: string, overrides: Partial<AttributeEntry> = {}): AttributeEntry {
  return {
    attributeId,
    description: '',
    eventType: 'Level_Up',
    member: 'payload.level',
    fold: 'last',
    type: 'integer',
    ...overrides,
  };
}

const LEVEL = attribute('level');
const KILLS = attribute('boss_kills', { eventType: 'Boss', member: null, fold: 'count' });
const GUILD = attribute('guild', { member: 'payload.guild', type: 'string' });
const SPENT = attribute('spent', { member: 'payload.gold', fold: 'sum', type: 'number' });

function stateOf(definitions: readonly OwnDefinition[], level: number | null): OwnState {
  const fold = new OwnFold(ownSet(definitions), {});
  if (level !== null) fold.add('Level_Up', { atMs: NOW, payload: { level }, metadata: {} });
  return fold.state;
}

/** The segments of a player who has sent events. */
function segmentsOf(document: ConfigDocument, own: OwnFacts): string[] {
  const compiled = compileDocument(document, { version: 1, publishedAt: 0 });
  const player = facts({ eventCount: 1, own });
  return decide(compiled, player, NOW).segments.map(({ segmentId }) => segmentId);
}

describe('own attributes in a document', () => {
  it('are read by rules with the types of their definitions', () => {
    const document = configWith({
      attributes: [LEVEL, KILLS, GUILD, SPENT],
      segments: [
        segment('high', 'own.level >= 10 && own.guild == ""'),
        segment('hunter', 'own.boss_kills.last7d > 3 || own.boss_kills.total > 100'),
        segment('spender', 'own.spent.last28d > 1.5'),
      ],
    });
    expect(problemsOf(document)).toEqual([]);
    const wrong = configWith({
      attributes: [LEVEL, GUILD],
      segments: [segment('a', 'own.level == "ten"'), segment('b', 'own.guild > 3')],
    });
    expect(problemsOf(wrong)).toHaveLength(2);
  });

  it('are named in the sentence about a misspelt one', () => {
    const document = configWith({ attributes: [LEVEL, KILLS], segments: [segment('a', 'own.levle >= 10')] });
    expect(problemsOf(document)).toEqual([
      expect.stringContaining('"own" has no "levle", but level, boss_kills.total'),
    ]);
    expect(problemsOf(document)[0]).toContain('Did you mean "level"?');
    expect(problemsOf(configWith({ segments: [segment('a', 'own.level > 1')] }))).toEqual([
      expect.stringContaining('defines no "attributes"'),
    ]);
  });

  it('are refused where fold, type and member do not fit', () => {
    const document = configWith({
      attributes: [
        attribute('a', { fold: 'sum', type: 'string' }),
        attribute('b', { fold: 'count', type: 'number' }),
        attribute('c', { member: null }),
        attribute('in'),
        attribute('d', { member: 'level' }),
      ],
    });
    expect(problemsOf(document)).toHaveLength(5);
  });

  it('are bounded by what the state of a player can take', () => {
    const fits = Array.from({ length: 50 }, (_, n) => attribute(`a${n}`, { member: `payload.m${n}` }));
    expect(problemsOf(configWith({ attributes: fits }))).toEqual([]);
    const tooMany = [...fits, attribute('more', { member: 'payload.more' })];
    expect(problemsOf(configWith({ attributes: tooMany }))).not.toEqual([]);
    const tooLarge = Array.from({ length: 8 }, (_, n) =>
      attribute(`s${n}`, { member: `payload.m${n}`, fold: 'sum' }),
    );
    expect(problemsOf(configWith({ attributes: tooLarge }))).toEqual([
      expect.stringContaining('may take 2048 at most'),
    ]);
    // Equal definitions share an entry.
    const shared = tooLarge.map((entry) => ({ ...entry, member: 'payload.gold' }));
    expect(problemsOf(configWith({ attributes: shared }))).toEqual([]);
  });

  it('make prices personal', () => {
    const document = configWith({
      attributes: [LEVEL],
      catalogue: [sku('gems')],
      offers: [offer('sale', { when: 'own.level >= 10' })],
      pricing: { notices: {}, forbiddenAttributes: ['own'], largestSpreadPercent: null },
    });
    expect(problemsOf(document)).toEqual([expect.stringContaining('reads own')]);
    const compiled = compileDocument(document, { version: 1, publishedAt: 0 });
    expect(compiled.offers[0]?.variesBy).toBe('player');
  });
});

describe('a rule that reads an own attribute', () => {
  const document = configWith({
    attributes: [LEVEL],
    segments: [
      segment('low', 'own.level < 10'),
      segment('not_low', '!segment("low")'),
      segment('either', 'own.level > 5 || country == ""'),
    ],
  });

  it('goes by the value, and by 0 for a player without the event', () => {
    expect(segmentsOf(document, stateOf([LEVEL], 12)).sort()).toEqual(['either', 'not_low']);
    expect(segmentsOf(document, stateOf([LEVEL], null)).sort()).toEqual(['either', 'low']);
    expect(segmentsOf(document, 'no events').sort()).toEqual(['either', 'low']);
  });

  it('does not match while the attribute is not worked out, nor does a rule that refers to it', () => {
    expect(segmentsOf(document, {})).toEqual(['either']);
  });

  it('says in the trace why it does not match, and reports no error', () => {
    const errors: unknown[] = [];
    const compiled = compileDocument(document, { version: 1, publishedAt: 0 });
    const { trace } = decide(compiled, facts({ eventCount: 1, own: {} }), NOW, {
      trace: true,
      onError: (part) => errors.push(part),
    });
    expect(errors).toEqual([]);
    const [low, notLow] = trace?.segments ?? [];
    const error = 'own.level is still being worked out for this player';
    expect(low?.rule).toMatchObject({ result: false, error, values: { 'own.level': null } });
    expect(notLow?.rule).toMatchObject({ result: false, error });
  });

  it('follows a flag that an override decides', () => {
    const flagged = configWith({
      attributes: [LEVEL],
      flags: {
        isPayer: { payerForDays: null },
        custom: [{ flagId: 'vip', name: '', rule: 'own.level > 5', defaultValue: false }],
      },
      segments: [segment('vips', 'flags.vip'), segment('others', '!flags.vip')],
    });
    const compiled = compileDocument(flagged, { version: 1, publishedAt: 0 });
    const overrides = [{ flagId: 'vip', value: true, setAt: NOW - 1, until: null }];
    const player = facts({ eventCount: 1, own: {} });
    const ids = (given: typeof player) => decide(compiled, given, NOW).segments.map((each) => each.segmentId);
    expect(ids(player)).toEqual([]);
    expect(ids({ ...player, overrides })).toEqual(['vips']);
  });

  it('keeps a player out of an experiment, whose arm is then not known either', () => {
    const tested = configWith({
      attributes: [LEVEL],
      experiments: [experiment('price_test', { when: 'own.level < 10' })],
      segments: [
        segment('outside', 'experiment("price_test") == ""'),
        segment('inside', 'experiment("price_test") != ""'),
      ],
    });
    expect(segmentsOf(tested, stateOf([LEVEL], 12))).toEqual(['outside']);
    expect(segmentsOf(tested, stateOf([LEVEL], 1))).toEqual(['inside']);
    expect(segmentsOf(tested, {})).toEqual([]);
  });

  it('changes at midnight where it reads a window', () => {
    const windows = configWith({
      attributes: [KILLS],
      segments: [segment('hunter', 'own.boss_kills.last7d > 0')],
    });
    const fold = new OwnFold(ownSet([KILLS]), {});
    fold.add('Boss', { atMs: NOW - 6 * DAY_MS, payload: {}, metadata: {} });
    const compiled = compileDocument(windows, { version: 1, publishedAt: 0 });
    const player = facts({ eventCount: 1, lastEventAt: NOW - 6 * DAY_MS, own: fold.state });
    const today = decide(compiled, player, NOW);
    expect(today.segments).toHaveLength(1);
    expect(today.validUntil).toBe(Math.ceil(NOW / DAY_MS) * DAY_MS);
    expect(decide(compiled, player, today.validUntil).segments).toEqual([]);
  });
});

describe('a hypothetical player', () => {
  const attributes = [
    LEVEL,
    KILLS,
    GUILD,
    SPENT,
    attribute('maps', { member: 'payload.map', fold: 'distinct' }),
  ];
  const own = {
    level: 12,
    boss_kills: { total: 40, last7d: 3, last28d: 11 },
    guild: 'Owls',
    spent: { total: 10.5, last7d: -1.25, last28d: 2 },
    maps: { total: 5, last7d: 1, last28d: 3 },
  };

  it('has the own attributes that are given', () => {
    const read = readFacts({ own }, NOW, attributes);
    if (!read.ok) throw new Error(read.message);
    expect(toFactsJson(read.facts, { attributes, atMs: NOW }).own).toEqual(own);
    expect(Object.keys(read.facts.own)).toEqual(attributes.map(keyOf));
  });

  it('is refused with values that do not fit', () => {
    const refused = readFacts({ own: { level: 'x', boss_kills: 3, nothing: 1 } }, NOW, attributes);
    expect(refused).toMatchObject({ ok: false });
    expect(!refused.ok && refused.message).toContain('own.level must be of the type integer');
  });
});
