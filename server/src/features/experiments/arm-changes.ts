import { canonicalJson } from '../../lib/canonical-json.js';
import { utcDay } from '../../lib/day.js';
import { type ConfigDocument, DOCUMENT_REGISTRY } from '../../personalisation/document/document.js';
import { entriesOf, entryName, idOf } from '../../personalisation/document/document-part.js';
import type { ArmChanges } from './run-queries.js';

type Published = Readonly<{ version: number; publishedAt: number; document: ConfigDocument }>;

/** What a publication changed of what the arms of an experiment give: the entries with a rule that reads it. */
export function armChangesOf(experimentId: string, before: Published, after: Published): ArmChanges {
  const [old, next] = [before, after].map(({ document }) => readersOf(document, experimentId));
  const names = [...new Set([...(old?.keys() ?? []), ...(next?.keys() ?? [])])].sort();
  const entries = names.filter((name) => old?.get(name) !== next?.get(name));
  if (entries.length === 0) return [];
  return [{ version: after.version, publishedOn: utcDay(after.publishedAt), entries }];
}

/** By their names, such as `value:jump_height`, as they are written. */
function readersOf(document: ConfigDocument, experimentId: string): Map<string, string> {
  const read = new RegExp(`\\bexperiment\\(\\s*["']${experimentId}["']\\s*\\)`);
  const readers = new Map<string, string>();
  for (const part of DOCUMENT_REGISTRY.lists) {
    for (const entry of entriesOf(document, part)) {
      const isReading = (part.rulesOf?.(entry) ?? []).some(({ expression }) => read.test(expression));
      if (isReading) readers.set(entryName(part, idOf(part, entry)), canonicalJson(entry));
    }
  }
  return readers;
}
