import { type Static, Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { ATTRIBUTE_REGISTRY } from '../../../src/decide/attributes/attributes.js';
import { compileDocument } from '../../../src/decide/compile/compile-document.js';
import { scopeOf } from '../../../src/decide/compile/compile-flags-and-segments.js';
import type { CompiledDocument } from '../../../src/decide/compile/compiled-document.js';
import {
  EVALUATED_PARTS,
  type EvaluatedPart,
  neededEntries,
} from '../../../src/decide/decide/evaluated-parts.js';
import { ConfigDocument, DOCUMENT_REGISTRY } from '../../../src/decide/document/document.js';
import { listPart, type ObjectPart } from '../../../src/decide/document/document-part.js';
import { DocumentRegistry } from '../../../src/decide/document/document-registry.js';
import type { SegmentEntry } from '../../../src/decide/document/parts/segments.js';
import { UNTRAINED_MODELS } from '../../../src/decide/predict/models-in-force.js';
import { type CompiledRule, compileRule } from '../../../src/decide/rules/rules.js';
import { validateDocument } from '../../../src/decide/validate/validate-document.js';
import { documentDifference } from '../../../src/liveops/configs/document-difference.js';
import { DryRunReport } from '../../../src/liveops/dry-runs/dry-run-report.js';
import { compareDocuments } from '../../../src/liveops/dry-runs/unchanged-parts.js';
import { evaluateWithAttributes } from '../../../src/liveops/evaluations/evaluate-player.js';
import { DAY_MS } from '../../../src/platform/lib/day.js';
import { configWith, facts, NOW, segment } from '../support/fixtures.js';

/** A part that is defined here and given to the registry, and to nothing else. */
const Quest = Type.Object(
  { questId: Type.String(), goal: Type.Integer(), when: Type.String() },
  { additionalProperties: false },
);
type QuestEntry = Static<typeof Quest>;
const QUESTS = listPart({
  name: 'quests',
  path: 'quests',
  noun: 'quest',
  title: 'Quests',
  idMember: 'questId',
  limit: 3,
  entry: Quest,
  rulesOf: ({ when }) => [{ member: 'when', expression: when }],
  check: ({ goal }, pointer, problems) => {
    if (goal < 1) problems.add(`${pointer}/goal`, 'Nobody can miss this goal.');
  },
});
const SEASON: ObjectPart = { kind: 'object', path: 'season', defaultValue: { name: 'none' } };
const schema = Type.Object(
  {
    ...ConfigDocument.properties,
    quests: Type.Optional(QUESTS.schema),
    season: Type.Optional(Type.Object({ name: Type.String() })),
  },
  { additionalProperties: false },
);
const registry = new DocumentRegistry(schema, [...DOCUMENT_REGISTRY.parts, QUESTS, SEASON]);

const quest = (questId: string, changes: Partial<QuestEntry> = {}): QuestEntry => ({
  questId,
  goal: 1,
  when: 'true',
  ...changes,
});
const withQuests = (...quests: QuestEntry[]) => ({ ...configWith(), quests });
const problemsOf = (document: unknown) => {
  const validation = validateDocument(document, undefined, registry);
  return validation.ok
    ? []
    : validation.problems.map(({ subject, pointer, message }) => `${subject} ${pointer} ${message}`);
};

describe('a part that is defined in one place', () => {
  it('may be in a document, and be left out', () => {
    expect(problemsOf(withQuests(quest('a'), quest('b')))).toEqual([]);
    expect(problemsOf(configWith())).toEqual([]);
    expect(validateDocument(withQuests(quest('a')))).toMatchObject({ ok: false });
  });

  it.each([
    ['an id twice', [quest('a'), quest('a')], 'quest "a" /quests/1/questId "a" is taken by /quests/0.'],
    [
      'a mistake of its own',
      [quest('a', { goal: 0 })],
      'quest "a" /quests/0/goal Nobody can miss this goal.',
    ],
    [
      'a rule that does not compile',
      [quest('a', { when: 'cuntry == "DE"' })],
      'quest "a" /quests/0/when There is no attribute "cuntry". Did you mean "country"?',
    ],
    [
      'more entries than its limit',
      ['a', 'b', 'c', 'd'].map((id) => quest(id)),
      'null /quests The value may have at most 3 entries.',
    ],
  ])('is checked for %s', (_what, quests, problem) => {
    expect(problemsOf(withQuests(...quests))).toEqual([problem]);
  });

  it('is a part of the difference', () => {
    const before = withQuests(quest('a'), quest('b'), quest('c'));
    const after = {
      ...withQuests(quest('c'), quest('b', { goal: 2 }), quest('d')),
      season: { name: 'winter' },
    };
    expect(documentDifference(before, after, registry)).toEqual([
      { path: 'quests/a', change: 'removed', before: quest('a'), after: null },
      { path: 'quests/b', change: 'changed', before: quest('b'), after: quest('b', { goal: 2 }) },
      { path: 'quests/d', change: 'added', before: null, after: quest('d') },
      { path: 'quests', change: 'reordered', before: ['b', 'c'], after: ['c', 'b'] },
      { path: 'season', change: 'changed', before: { name: 'none' }, after: { name: 'winter' } },
    ]);
    expect(documentDifference(configWith(), withQuests(), registry)).toEqual([]);
  });
});

describe('a registry of parts refuses', () => {
  const { parts } = DOCUMENT_REGISTRY;
  it.each([
    ['a member without a part', parts, 'no part is defined for quests'],
    ['a part twice', [...parts, QUESTS, QUESTS, SEASON], 'there are two parts quests'],
    [
      'two parts of one name',
      [...parts, { ...QUESTS, name: 'offers' }, SEASON],
      'there are two parts that are called offers',
    ],
    [
      'a part that the schema does not have',
      [...parts, QUESTS, SEASON, { ...SEASON, path: 'weather' }],
      'the document has no member weather',
    ],
  ])('%s', (_what, refused, message) => {
    expect(() => new DocumentRegistry(schema, refused)).toThrow(message);
  });
});

/** What a document with quests is compiled to, and for whom a quest is true. */
type CompiledQuest = Readonly<{ questId: string; goal: number; rule: CompiledRule }>;
type WithQuests = CompiledDocument & Readonly<{ quests: readonly CompiledQuest[] }>;
const questsOf = (document: CompiledDocument) => (document as WithQuests).quests;
const EVALUATED_QUESTS: EvaluatedPart = {
  part: QUESTS,
  entriesOf: (document) =>
    questsOf(document).map(({ questId, goal, rule }) => ({
      id: questId,
      rules: [rule],
      conditions: String(goal),
    })),
  keep: (document, isKept) => {
    const kept: WithQuests = {
      ...document,
      quests: questsOf(document).filter(({ questId }) => isKept(questId)),
    };
    return kept;
  },
  evaluate: ({ document, attributes }) =>
    new Set(questsOf(document).flatMap(({ questId, rule }) => (rule.test(attributes) ? [questId] : []))),
  exampleId: 'daily',
};
const parts = [...EVALUATED_PARTS, EVALUATED_QUESTS];

function compileQuests(segments: readonly SegmentEntry[], ...quests: readonly QuestEntry[]): WithQuests {
  const document = configWith({ segments: [...segments] });
  const scope = scopeOf(document, ATTRIBUTE_REGISTRY);
  return {
    ...compileDocument(document, { version: 1, publishedAt: 0 }),
    quests: quests.map(({ questId, goal, when }) => {
      const result = compileRule(when, scope);
      if (!result.ok) throw new Error(when);
      return { questId, goal, rule: result.rule };
    }),
  };
}

describe('a part whose entries are true or false for a player', () => {
  const inSegment = quest('c', { when: '"old" in segments' });
  const before = compileQuests(
    [segment('old', 'daysSinceFirstSeen > 5'), segment('rest', 'true')],
    ...[quest('a'), quest('b'), inSegment, quest('gone')],
  );
  const after = compileQuests(
    [segment('old', 'daysSinceFirstSeen > 7'), segment('rest', 'true')],
    ...[quest('a'), quest('b', { goal: 2 }), inSegment, quest('new')],
  );
  const { unchanged, rest } = compareDocuments(before, after, parts);

  it('is unchanged where neither the entry nor what its rule refers to has changed', () => {
    expect([...unchanged].sort()).toEqual(['flag:isPayer', 'quest:a', 'segment:rest']);
    expect(questsOf(rest).map(({ questId }) => questId)).toEqual(['b', 'c', 'gone']);
  });

  it('keeps the entries that its rule refers to', () => {
    const needed = neededEntries(after, (name) => name === 'quest:c', parts);
    expect(questsOf(needed).map(({ questId }) => questId)).toEqual(['c']);
    expect(needed.flagsAndSegments).toEqual([expect.objectContaining({ kind: 'segment' })]);
  });

  it('is counted by a dry run', () => {
    const report = new DryRunReport(before, after, unchanged, NOW, parts);
    for (const daysAgo of [0, 6, 10]) {
      const player = facts({ createdAt: NOW - daysAgo * DAY_MS });
      const evaluate = (document: CompiledDocument) =>
        evaluateWithAttributes(document, player, NOW, UNTRAINED_MODELS, () => {}, parts).evaluation;
      report.add(player, evaluate(rest), evaluate(after));
    }
    const counts = (before: number, after: number) => expect.objectContaining({ before, after });
    expect(report.effects(1)).toMatchObject({
      segments: [
        { segmentId: 'old', counts: counts(2, 1) },
        { segmentId: 'rest', counts: counts(3, 3) },
      ],
      quests: [
        { questId: 'a', counts: counts(3, 3) },
        { questId: 'b', counts: counts(3, 3) },
        { questId: 'c', counts: counts(2, 1) },
        { questId: 'new', counts: counts(0, 3) },
        { questId: 'gone', counts: counts(3, 0) },
      ],
    });
  });
});
