import { isObject } from '../../lib/is-object.js';
import { isSummable, type OwnValue } from './folds.js';
import { OWN_LIMITS, type OwnDefinition, type OwnType } from './own-definition.js';

type Members = Readonly<Record<string, unknown>>;

/** What of an event own attributes are computed from. */
export type FoldedEvent = Readonly<{ atMs: number; payload: Members; metadata: Members }>;

/** What the event says about an attribute; undefined if it says nothing, or something of another type. */
export function valueOfEvent(definition: OwnDefinition, event: FoldedEvent): OwnValue | undefined {
  const { member, fold, type } = definition;
  if (member === null) return true;
  const found = memberAt(event, member);
  if (fold === 'count') return found === undefined || found === null ? undefined : true;
  if (fold === 'distinct') return isScalar(found) ? found : undefined;
  const value = READ[type](found);
  return fold === 'sum' && value !== undefined && !isSummable(value as number, type) ? undefined : value;
}

/** `payload.stats.kills`. Inherited members, such as `constructor`, are not members. */
function memberAt(event: FoldedEvent, path: string): unknown {
  const [root, ...names] = path.split('.');
  let found: unknown = root === 'metadata' ? event.metadata : event.payload;
  for (const name of names) {
    if (!isObject(found) || !Object.hasOwn(found, name)) return undefined;
    found = found[name];
  }
  return found;
}

/** An entry with it has as many digits as `entryBytes` says. */
const MAX_INTEGER = 1e14 - 1;

const READ: Readonly<Record<OwnType, (found: unknown) => OwnValue | undefined>> = {
  boolean: (found) => (typeof found === 'boolean' ? found : undefined),
  integer: (found) =>
    Number.isInteger(found) && Math.abs(found as number) <= MAX_INTEGER ? (found as number) : undefined,
  number: (found) => (typeof found === 'number' && Number.isFinite(found) ? found : undefined),
  string: (found) => (typeof found === 'string' ? cutText(found) : undefined),
};

function isScalar(found: unknown): found is OwnValue {
  return typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean';
}

/** As many whole characters as fit. Whether a text is too long is known after the first few: a payload may have 30 kB of it. */
export function cutText(text: string): string {
  let bytes = 0;
  let length = 0;
  for (const character of text.slice(0, OWN_LIMITS.textBytes + 1)) {
    bytes += Buffer.byteLength(JSON.stringify(character)) - 2;
    if (bytes > OWN_LIMITS.textBytes) break;
    length += character.length;
  }
  return text.slice(0, length);
}
