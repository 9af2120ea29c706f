import { isObject } from '../../platform/lib/is-object.js';
import { isSummable } from './day-sums.js';
import type { OwnValue } from './folds.js';
import { OWN_LIMITS, type OwnDefinition, type OwnType } from './own-definition.js';

type Members = Readonly<Record<string, unknown>>;

/** What of an event own attributes are computed from. */
export type FoldedEvent = Readonly<{ atMs: number; payload: Members; metadata: Members }>;

/** Reads what an event says about an attribute: undefined if it says nothing, or something of another type. */
export type EventReader = (event: FoldedEvent) => OwnValue | undefined;

/** Made once for a definition, because intake reads every event. */
export function eventReader({ member, fold, type }: OwnDefinition): EventReader {
  if (member === null) return () => true;
  const find = memberFinder(member);
  if (fold === 'count') {
    return (event) => (find(event) == null ? undefined : true);
  }
  if (fold === 'distinct') {
    return (event) => {
      const found = find(event);
      return isScalar(found) ? found : undefined;
    };
  }
  const read = READ[type];
  if (fold !== 'sum') return (event) => read(find(event));
  return (event) => {
    const value = read(find(event));
    return value !== undefined && isSummable(value as number, type) ? value : undefined;
  };
}

/** `payload.stats.kills`. Inherited members, such as `constructor`, are not members. */
function memberFinder(path: string): (event: FoldedEvent) => unknown {
  const [root, ...names] = path.split('.');
  return (event) => {
    let found: unknown = root === 'metadata' ? event.metadata : event.payload;
    for (const name of names) {
      if (!isObject(found) || !Object.hasOwn(found, name)) return undefined;
      found = found[name];
    }
    return found;
  };
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

/** So few characters fit, whatever they are: six bytes is the longest that JSON writes one code unit with. */
const SURELY_FITS = Math.floor(OWN_LIMITS.textBytes / 6);

/** As many whole characters as fit. Whether a text is too long is known after the first few: a payload may have 30 kB of it. */
export function cutText(text: string): string {
  if (text.length <= SURELY_FITS) return text;
  let bytes = 0;
  let length = 0;
  for (const character of text.slice(0, OWN_LIMITS.textBytes + 1)) {
    bytes += Buffer.byteLength(JSON.stringify(character)) - 2;
    if (bytes > OWN_LIMITS.textBytes) break;
    length += character.length;
  }
  return text.slice(0, length);
}
