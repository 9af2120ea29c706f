import { type Static, Type } from 'typebox';
import type { ObjectPart } from '../document-part.js';
import { strict, text } from '../member-schemas.js';

/** For documents that say nothing. */
export const DEFAULT_STUDIO_ZONE = 'UTC';

export const CalendarSettings = Type.Object(
  {
    /** What schedules mean by `studio`, and for players whose zone is not known: a name such as Europe/Berlin. */
    studioZone: text(64),
  },
  strict,
);

export type CalendarSettings = Static<typeof CalendarSettings>;

export const CALENDAR_SETTINGS: ObjectPart = {
  kind: 'object',
  path: 'calendar',
  defaultValue: { studioZone: DEFAULT_STUDIO_ZONE },
};
