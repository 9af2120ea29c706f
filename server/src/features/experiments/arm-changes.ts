import { canonicalJson } from '../../lib/canonical-json.js';
import { utcDay } from '../../lib/day.js';
import { experimentReaders } from '../../personalisation/compile/experiment-readers.js';
import type { ConfigDocument } from '../../personalisation/document/document.js';
import type { ArmChanges } from './run-queries.js';

type Published = Readonly<{ version: number; publishedAt: number; document: ConfigDocument }>;

/** What a publication changed of what the arms of an experiment give: entries that read it, also through segments and flags. */
export function armChangesOf(experimentId: string, before: Published, after: Published): ArmChanges {
  const [old, next] = [before, after].map(({ document }) => experimentReaders(document).get(experimentId));
  const names = [...new Set([...(old?.keys() ?? []), ...(next?.keys() ?? [])])].sort();
  const entries = names.filter((name) => written(old?.get(name)) !== written(next?.get(name)));
  if (entries.length === 0) return [];
  return [{ version: after.version, publishedOn: utcDay(after.publishedAt), entries }];
}

function written(entry: unknown): string {
  return entry === undefined ? '' : canonicalJson(entry);
}
