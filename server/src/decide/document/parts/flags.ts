import { type Static, Type } from 'typebox';
import { Schedule } from '../../schedules/schedule.js';
import { checkScheduleOf, listPart, type ObjectPart } from '../document-part.js';
import { PATTERNS } from '../document-patterns.js';
import { nullable, Rule, strict, text } from '../member-schemas.js';

export const IsPayer = Type.Object(
  {
    /** How long a payer stays one after the last purchase; null: for ever. */
    payerForDays: nullable(Type.Integer({ minimum: 1, maximum: 36_500 })),
  },
  strict,
);

const CustomFlag = Type.Object(
  {
    flagId: Type.String({ pattern: PATTERNS.flagId }),
    name: text(200),
    /** When the flag is true, and else false. Null, or a rule that fails for a player, leaves it at its default. */
    rule: nullable(Rule),
    defaultValue: Type.Boolean(),
    /** Outside of its windows the rule is not asked, and the flag has its default. Left out: the rule decides all the time. */
    schedule: Type.Optional(Schedule),
  },
  strict,
);

export type CustomFlagEntry = Static<typeof CustomFlag>;

/** The flag that every game has. */
export const IS_PAYER: ObjectPart = { kind: 'object', path: 'flags/isPayer' };

export const FLAGS = listPart({
  name: 'flags',
  path: 'flags/custom',
  noun: 'flag',
  title: 'Flags of the studio',
  idMember: 'flagId',
  limit: 50,
  entry: CustomFlag,
  rulesOf: ({ rule }) => (rule === null ? [] : [{ member: 'rule', expression: rule }]),
  timesOf: ({ schedule }) => (schedule === undefined ? [] : [{ from: null, until: null, schedule }]),
  check: (entry, pointer, problems) => {
    const { flagId, rule, schedule } = entry;
    if (flagId === 'isPayer') problems.add(`${pointer}/flagId`, 'isPayer is built in.');
    checkScheduleOf(entry, pointer, problems);
    if (schedule !== undefined && rule === null) {
      problems.add(`${pointer}/rule`, 'A schedule says when the rule decides: write true for everybody.');
    }
  },
});
