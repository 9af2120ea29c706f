import { type Static, type TSchema, Type } from 'typebox';

/** What the admin routes have in common: the form of their responses, and their documentation. */

export type Success<T> = { data: T; status: 'success' };

export function success<T>(data: T): Success<T> {
  return { data, status: 'success' };
}

/** The response with this data, under a title of its own in the API document. */
export function successOf<T extends TSchema>(
  title: string,
  data: T,
  { description, example }: { description?: string; example: Static<T> },
) {
  return Type.Object(
    { data, status: Type.Literal('success') },
    {
      title,
      ...(description === undefined ? {} : { description }),
      examples: [success(example)],
    },
  );
}

/** Either of the two: the token of a program, or the cookie of a person who has signed in. */
const ADMIN_SECURITY: readonly Record<string, string[]>[] = [{ bearer: [] }, { session: [] }];

export const adminSchema = (tag: string) => ({ tags: [tag], security: ADMIN_SECURITY });

export const GameParameters = Type.Object({
  game: Type.String({ description: 'Id of the game', examples: ['demo-game'] }),
});

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const Time = (description: string) => Type.String({ format: 'date-time', description });

/** Of the actor who made the change. */
export const PersonEmail = nullable(
  Type.String({
    description:
      'The address of the person who was signed in: names are not unique. Null for a token, a command, the service itself, and what is older than this member',
  }),
);

export function toTime(epochMs: number): string;
export function toTime(epochMs: number | null): string | null;
export function toTime(epochMs: number | null): string | null {
  return epochMs === null ? null : new Date(epochMs).toISOString();
}
