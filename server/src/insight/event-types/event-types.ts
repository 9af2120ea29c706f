import { isEventType } from '../../core/events/intake/check-events.js';
import { insertEventType, type NewEventType } from '../../core/events/types/event-type-queries.js';
import type { Actor } from '../../platform/admin-api/audit-log.js';
import type { Pool } from '../../platform/db/pool.js';
import { checkSchema } from '../../platform/lib/json-schema/bounded-schema.js';

export type Registration = { ok: true; version: number; warnings: string[] } | { ok: false; reason: string };

/** Registers a schema as the type's next version; every node checks by it from the next request on. */
export async function registerEventType(
  pool: Pool,
  added: NewEventType,
  actor: Actor,
): Promise<Registration> {
  if (!isEventType(added.eventType)) {
    return { ok: false, reason: 'An event type is a text of 1 to 128 characters that can be stored.' };
  }
  const checked = checkSchema(added.schemaText);
  if (!checked.ok) return checked;
  const version = await insertEventType(pool, added, actor);
  return version === undefined
    ? { ok: false, reason: 'The game has as many event types as there can be. Retired ones count, too.' }
    : { ok: true, version, warnings: checked.warnings };
}
