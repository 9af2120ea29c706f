import { Type } from 'typebox';
import { ApiError } from '../../platform/errors.js';
import { DAY_MS, utcDay } from '../../platform/lib/day.js';

/** Days of UTC such as `2026-11-15`, both ends included. */
export type DaySpan = Readonly<{ from: string; to: string }>;

const MAX_DAYS = 366;
const DEFAULT_DAYS = 30;

/** For the query of a route that tells of days. */
export const DAY_SPAN_PARAMETERS = {
  from: Type.Optional(
    Type.String({ format: 'date', description: `The first UTC day; by default ${DEFAULT_DAYS} days in all` }),
  ),
  to: Type.Optional(Type.String({ format: 'date', description: 'The last UTC day; by default today' })),
};

export function daySpanOf({ from, to }: { from?: unknown; to?: unknown }, nowMs: number): DaySpan {
  const toMs = to === undefined ? Date.parse(utcDay(nowMs)) : dayStart('to', to);
  const fromMs = from === undefined ? toMs - (DEFAULT_DAYS - 1) * DAY_MS : dayStart('from', from);
  const days = (toMs - fromMs) / DAY_MS + 1;
  if (days >= 1 && days <= MAX_DAYS) return { from: utcDay(fromMs), to: utcDay(toMs) };
  throw new ApiError('parameter_invalid', { message: `from to to must be 1 to ${MAX_DAYS} days.` });
}

const DAY = /^[12]\d{3}-\d{2}-\d{2}$/;

function dayStart(name: string, text: unknown): number {
  const ms = typeof text === 'string' && DAY.test(text) ? Date.parse(text) : Number.NaN;
  // 30 February is read as 1 March.
  if (!Number.isNaN(ms) && utcDay(ms) === text) return ms;
  throw new ApiError('parameter_invalid', {
    message: `${name} must be a day such as 2026-11-15, given once.`,
  });
}
