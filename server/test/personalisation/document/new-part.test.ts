import { type Static, Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { documentDifference } from '../../../src/features/game-configs/document-difference.js';
import { ConfigDocument, DOCUMENT_REGISTRY } from '../../../src/personalisation/document/document.js';
import { listPart, type ObjectPart } from '../../../src/personalisation/document/document-part.js';
import { DocumentRegistry } from '../../../src/personalisation/document/document-registry.js';
import { validateDocument } from '../../../src/personalisation/validate/validate-document.js';
import { configWith } from '../support/fixtures.js';

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
      'null /quests The value must not have more than 3 items.',
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
