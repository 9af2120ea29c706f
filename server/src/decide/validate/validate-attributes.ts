import type { AttributeEntry } from '../document/parts/attributes.js';
import {
  entryBytes,
  keyOf,
  OWN_LIMITS,
  type OwnDefinition,
  stateBytes,
} from '../own-attributes/own-definition.js';
import type { Entry, ProblemList } from './document-problems.js';

/** However much players send, what is kept of one has a bounded size. */
export function validateAttributes(
  attributes: readonly Entry<AttributeEntry>[],
  problems: ProblemList,
): void {
  const byKey = new Map<string, OwnDefinition>();
  for (const { entry, pointer } of attributes) {
    const key = keyOf(entry);
    const other = byKey.get(key);
    if (other === undefined) byKey.set(key, entry);
    else if (!isSame(other, entry)) {
      problems.add(
        `${pointer}/member`,
        'This definition cannot be told from another one: change its member.',
      );
    }
  }
  const bytes = stateBytes(byKey.values());
  if (bytes <= OWN_LIMITS.stateBytes) return;
  const most = attributes.reduce((a, b) => (entryBytes(b.entry) > entryBytes(a.entry) ? b : a));
  problems.add(
    most.pointer,
    `The attributes of a player can take ${bytes} bytes together, and may take ${OWN_LIMITS.stateBytes} at most. This one can take ${entryBytes(most.entry)}, and none more.`,
  );
}

function isSame(one: OwnDefinition, other: OwnDefinition): boolean {
  return (
    one.eventType === other.eventType &&
    one.member === other.member &&
    one.fold === other.fold &&
    one.type === other.type
  );
}

/** What rules may read: of two entries with one id, which is reported as such, the first. */
export function distinctIds(attributes: readonly Entry<AttributeEntry>[]): AttributeEntry[] {
  const byId = new Map<string, AttributeEntry>();
  for (const { entry } of attributes) if (!byId.has(entry.attributeId)) byId.set(entry.attributeId, entry);
  return [...byId.values()];
}
