import type { ConfigDocument } from './document.js';

type Lists = Omit<ConfigDocument, 'flags'> & { 'flags/custom': ConfigDocument['flags']['custom'] };
/** Of each list of the document the members that its entries have: the compiler wants every list, and a member that exists. */
type IdMembers = {
  [Path in keyof Lists as NonNullable<Lists[Path]> extends readonly object[] ? Path : never]-?: NonNullable<
    Lists[Path]
  > extends readonly (infer Entry)[]
    ? keyof Entry
    : never;
};

/** The lists of a document whose entries have an id, with the member that holds it. */
const ID_MEMBERS: Readonly<Record<string, string>> = {
  'flags/custom': 'flagId',
  segments: 'segmentId',
  catalogue: 'skuId',
  offers: 'offerId',
  values: 'key',
  experiments: 'experimentId',
  attributes: 'attributeId',
} satisfies IdMembers;

export type Members = Readonly<Record<string, unknown>>;

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The parts of a document by the paths of differences: `flags/isPayer`, `catalogue`, `store`. */
export function partsOf({ flags, ...others }: ConfigDocument): Map<string, unknown> {
  return new Map<string, unknown>([
    ['flags/isPayer', flags.isPayer],
    ['flags/custom', flags.custom],
    ...Object.entries(others),
  ]);
}

export function documentOf(parts: ReadonlyMap<string, unknown>): ConfigDocument {
  const others = [...parts].filter(([path, value]) => !path.startsWith('flags/') && value !== undefined);
  const flags = { isPayer: parts.get('flags/isPayer'), custom: parts.get('flags/custom') };
  return { flags, ...Object.fromEntries(others) } as ConfigDocument;
}

/** The entries of a part that is a list by their ids, none if it is left out; undefined for any other part. */
export function entriesOf(path: string, part: unknown): Map<string, unknown> | undefined {
  const idMember = ID_MEMBERS[path];
  if (idMember === undefined) return undefined;
  return new Map(((part ?? []) as readonly Members[]).map((entry) => [String(entry[idMember]), entry]));
}
