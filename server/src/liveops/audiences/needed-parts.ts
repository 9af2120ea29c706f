import type { CompiledDocument } from '../../decide/compile/compiled-document.js';
import { neededEntries } from '../../decide/decide/evaluated-parts.js';

/** The part of a document whose players are counted or listed. Of a value: one of its outcomes, by its name. */
export type AudiencePart = Readonly<{ kind: 'segment' | 'offer' | 'value'; id: string }>;

/** Only the part, and the parts that its rule refers to, so that fewer facts are read of each player. */
export function neededParts(document: CompiledDocument, { kind, id }: AudiencePart): CompiledDocument {
  return neededEntries(document, (name) => name === `${kind}:${id}`);
}
