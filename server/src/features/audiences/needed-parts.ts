import { nodeNames } from '../../personalisation/compile/compile-flags-and-segments.js';
import type { CompiledDocument } from '../../personalisation/compile/compiled-document.js';

/** The part of a document whose players are counted or listed. */
export type AudiencePart = Readonly<{ kind: 'segment' | 'offer'; id: string }>;

/** Only the part, and the parts that its rule refers to, so that fewer facts are read of each player. */
export function neededParts(document: CompiledDocument, { kind, id }: AudiencePart): CompiledDocument {
  const offers = kind === 'offer' ? document.offers.filter(({ offerId }) => offerId === id) : [];
  const needed = new Set(kind === 'segment' ? [`segment:${id}`] : []);
  for (const { rule } of offers) for (const name of rule === null ? [] : nodeNames(rule)) needed.add(name);
  // In reverse order: a part comes before the parts that refer to it.
  const flagsAndSegments = document.flagsAndSegments.toReversed().filter((node) => {
    const name = node.kind === 'flag' ? `flag:${node.flagId}` : `segment:${node.listed.segmentId}`;
    if (!needed.has(name)) return false;
    for (const other of node.rule === null ? [] : nodeNames(node.rule)) needed.add(other);
    return true;
  });
  return { ...document, flagsAndSegments: flagsAndSegments.reverse(), segments: [], offers };
}
