import { type Static, type TSchema, Type } from 'typebox';
import { toTime } from '../../platform/admin-api/admin-responses.js';
import { MAX_REASON } from '../players/override-limits.js';

/** Overrides and pins of a player as JSON, in the facts of an explanation. */

const strict = { additionalProperties: false } as const;
const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
export const Instant = (description: string) =>
  Type.String({ maxLength: 40, description, examples: ['2026-11-15T12:00:00.000Z'] });

const span = {
  setAt: Type.Optional(Instant('The instant that is explained, if left out.')),
  until: Type.Optional(nullable(Instant('From then on the rule decides again; null: never.'))),
};

export const OverrideJson = Type.Object(
  { flagId: Type.String({ maxLength: 64 }), value: Type.Boolean(), ...span },
  strict,
);

export const PinJson = Type.Object(
  {
    kind: Type.Union([Type.Literal('value'), Type.Literal('variant')]),
    target: Type.String({ maxLength: 64, description: 'The key of the value, or the id of the experiment' }),
    value: Type.Unknown({ description: 'The value, or the id of the variant' }),
    reason: Type.Optional(Type.String({ maxLength: MAX_REASON })),
    author: Type.Optional(Type.String()),
    ...span,
  },
  strict,
);

type Span = Readonly<{ setAt: number; until: number | null }>;
type SpanJson = Static<typeof OverrideJson> | Static<typeof PinJson>;

export function toSpanJson<T extends Span>({ setAt, until, ...rest }: T) {
  return {
    ...rest,
    setAt: toTime(setAt),
    until: toTime(until),
  };
}

/** `instant` reads a time, and notes a mistake under the name of its member. */
export function readSpan(
  { setAt, until }: SpanJson,
  place: string,
  atMs: number,
  instant: (name: string, text: string) => number,
): Span {
  return {
    setAt: setAt === undefined ? atMs : instant(`${place}.setAt`, setAt),
    until: until == null ? null : instant(`${place}.until`, until),
  };
}
