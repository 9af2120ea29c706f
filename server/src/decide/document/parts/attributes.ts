import { type Static, Type } from 'typebox';
import { OWN_LIMITS, TYPES_OF_FOLD } from '../../own-attributes/own-definition.js';
import { listPart, type Problems } from '../document-part.js';
import { PATTERNS } from '../document-patterns.js';
import { nullable, strict } from '../member-schemas.js';

const AttributeDefinition = Type.Object(
  {
    /** Rules write `own.level`. */
    attributeId: Type.String({ pattern: PATTERNS.attributeId }),
    description: Type.String({ maxLength: 1000 }),
    eventType: Type.String({ maxLength: 128, pattern: PATTERNS.printable }),
    /** Where the value stands in the event: `payload.level`. Null: the events themselves are counted. */
    member: nullable(Type.String({ pattern: PATTERNS.eventMember })),
    /** How the values of several events become one. */
    fold: Type.Union([
      Type.Literal('last'),
      Type.Literal('first'),
      Type.Literal('min'),
      Type.Literal('max'),
      Type.Literal('sum'),
      Type.Literal('count'),
      Type.Literal('distinct'),
    ]),
    type: Type.Union([
      Type.Literal('boolean'),
      Type.Literal('integer'),
      Type.Literal('number'),
      Type.Literal('string'),
    ]),
  },
  strict,
);

export type AttributeEntry = Static<typeof AttributeDefinition>;

/** What a game asks about its players beside what the service counts itself (ADR 0060). */
export const OWN_ATTRIBUTES = listPart({
  name: 'attributes',
  path: 'attributes',
  noun: 'attribute',
  title: 'Attributes',
  idMember: 'attributeId',
  limit: OWN_LIMITS.attributes,
  entry: AttributeDefinition,
  check: checkAttribute,
});

/** Words that the syntax of rules keeps for itself. */
const RESERVED: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

function checkAttribute(entry: AttributeEntry, pointer: string, problems: Problems): void {
  const { attributeId, member, fold, type } = entry;
  if (RESERVED.has(attributeId)) {
    problems.add(`${pointer}/attributeId`, `"${attributeId}" is a word of rules: choose another id.`);
  }
  const types = TYPES_OF_FOLD[fold];
  if (!types.includes(type)) {
    problems.add(`${pointer}/type`, `The fold ${fold} gives a value of type ${types.join(' or ')}.`);
  }
  if (member === null && fold !== 'count') {
    problems.add(`${pointer}/member`, `The fold ${fold} needs a member, such as payload.level.`);
  }
}
