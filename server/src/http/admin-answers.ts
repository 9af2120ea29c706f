import { type Static, type TSchema, Type } from 'typebox';
import { ApiError } from '../errors.js';

/** What the admin routes have in common: the form of their answers, their documentation, and parameters of addresses. */

export type Success<T> = { data: T; status: 'success' };

export function success<T>(data: T): Success<T> {
  return { data, status: 'success' };
}

/** The answer with this data, under a title of its own in the API document. */
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

/** One of the two: the token of a program, or the cookie of a person who has signed in. */
const ADMIN_SECURITY: readonly Record<string, string[]>[] = [{ bearer: [] }, { session: [] }];

export const adminSchema = (tag: string) => ({ tags: [tag], security: ADMIN_SECURITY });

export const GameParameters = Type.Object({
  game: Type.String({ description: 'Id of the game', examples: ['demo-game'] }),
});

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const Time = (description: string) => Type.String({ format: 'date-time', description });

export function toTime(epochMs: number): string;
export function toTime(epochMs: number | null): string | null;
export function toTime(epochMs: number | null): string | null {
  return epochMs === null ? null : new Date(epochMs).toISOString();
}

/** PostgreSQL's largest `integer`. */
const MAX_INTEGER = 2_147_483_647;

/** A whole number of the address or its query; `fallback` stands for one that is not there. */
export function wholeNumber<T = never>(
  name: string,
  text: unknown,
  { min = 0, max = MAX_INTEGER, ...rest }: { min?: number; max?: number; fallback?: T } = {},
): number | T {
  if (text === undefined && rest.fallback !== undefined) return rest.fallback;
  const value = /^\d{1,10}$/.test(String(text)) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new ApiError('parameter_invalid', {
    message: `${name} must be a whole number from ${min} to ${max}, given once.`,
  });
}

/** A text of the query, of at least one character. PostgreSQL has no NUL in a text, so nothing is found by one. */
export function textParameter(name: string, text: unknown, maxLength: number): string {
  const isText = typeof text === 'string' && text !== '' && !text.includes('\0');
  // Characters are code points, of which each takes one or two units.
  if (isText && text.length <= 2 * maxLength && [...text].length <= maxLength) return text;
  throw new ApiError('parameter_invalid', {
    message: `${name} must be a text of 1 to ${maxLength} characters, given once.`,
  });
}
