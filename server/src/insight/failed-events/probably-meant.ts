import { nearBuiltInType } from '../event-types/sent-types.js';
import type { FailedGroupRow } from './failed-event-queries.js';

/** The built-in type that the events of a group probably are, where they were refused for their type. */
export function probablyMeant({
  code,
  eventType,
}: Pick<FailedGroupRow, 'code' | 'eventType'>): string | undefined {
  return code === 'event_type_unregistered' ? nearBuiltInType(eventType ?? '') : undefined;
}
