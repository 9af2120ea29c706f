import { jsonElements, jsonMembers } from '../../platform/lib/json-slices.js';
import type { Steps } from '../../platform/lib/steps.js';
import type { ConfigDocument } from './document.js';

/** The entries of a document's lists by their texts. */
export type KnownEntries = ReadonlyMap<string, unknown>;

export type ReadDocument = Readonly<{ document: ConfigDocument; entries: KnownEntries }>;

/**
 * Reads a stored document from its text, in steps, one for each entry of its lists. An entry that `known` has by its text is that very object:
 * what was worked out from it before still holds. A document must not be changed, then.
 */
export function* readingSteps(text: string, known: KnownEntries = NONE): Steps<ReadDocument> {
  const members: [name: string, value: unknown][] = [];
  const entries = new Map<string, unknown>();
  for (const [name, value] of jsonMembers(text)) {
    yield;
    if (!value.startsWith('[')) {
      members.push([name, JSON.parse(value)]);
      continue;
    }
    const list: unknown[] = [];
    for (const entryText of jsonElements(value)) {
      const entry = known.get(entryText) ?? JSON.parse(entryText);
      entries.set(entryText, entry);
      list.push(entry);
      yield;
    }
    members.push([name, list]);
  }
  return { document: Object.fromEntries(members) as ConfigDocument, entries };
}

const NONE: KnownEntries = new Map();
