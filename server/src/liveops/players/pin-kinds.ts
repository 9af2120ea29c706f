import type { PinKind } from '../../decide/attributes/player-facts.js';
import type { ConfigDocument } from '../../decide/document/document.js';
import { MAX_VALUE_BYTES, valueBytes } from '../../decide/document/parts/values.js';
import { valueCheckOf } from '../../decide/document/value-types.js';

/** What can be pinned, and what a pin may say under a published document. */
type PinKindDefinition = Readonly<{
  /** For sentences: `value jump_height`. */
  noun: string;
  targets: (document: ConfigDocument) => readonly string[];
  /** Why the target cannot be pinned to this, in words that follow `The value`; undefined if it can. */
  problem: (document: ConfigDocument, target: string, value: unknown) => string | undefined;
}>;

export const PIN_KINDS: Readonly<Record<PinKind, PinKindDefinition>> = {
  value: {
    noun: 'value',
    targets: ({ values = [] }) => values.map(({ key }) => key),
    problem: ({ values = [] }, target, value) => {
      const entry = values.find(({ key }) => key === target);
      if (valueBytes(value) > MAX_VALUE_BYTES) return `may take ${MAX_VALUE_BYTES} bytes at most`;
      return entry && valueCheckOf(entry.type)(value);
    },
  },
  variant: {
    noun: 'experiment',
    targets: ({ experiments = [] }) => experiments.map(({ experimentId }) => experimentId),
    problem: ({ experiments = [] }, target, value) => {
      const variants = experiments.find(({ experimentId }) => experimentId === target)?.variants ?? [];
      const ids = variants.map(({ variantId }) => variantId);
      return ids.some((id) => id === value) ? undefined : `must be a variant: ${ids.join(' or ')}`;
    },
  },
};

/** Any id of a document. */
export const PIN_TARGET = /^[A-Za-z0-9_.-]{1,64}$/;

export function isPinKind(text: string): text is PinKind {
  return Object.hasOwn(PIN_KINDS, text);
}
