/** What a store responds is XML of a fixed form, so a few expressions read it. */

export type S3Object = Readonly<{ key: string; size: number }>;
export type S3List = Readonly<{ objects: readonly S3Object[]; prefixes: readonly string[] }>;

/** @throws Error if more follows and the store does not say how to ask for it: a part must not pass for the whole list */
export function readList(xml: string): S3List & { next: string | undefined } {
  const objects = elements(xml, 'Contents').map((content) => ({
    key: element(content, 'Key') ?? '',
    size: Number(element(content, 'Size') ?? 0),
  }));
  const prefixes = elements(xml, 'CommonPrefixes').flatMap((content) => element(content, 'Prefix') ?? []);
  const isTruncated = element(xml, 'IsTruncated') === 'true';
  const next = isTruncated ? element(xml, 'NextContinuationToken') : undefined;
  if (isTruncated && !next) throw new Error('the list is truncated, and has no token for the next page');
  return { objects, prefixes, next };
}

/** Empty where the store does not say. */
export type S3Problem = Readonly<{ code: string; message: string }>;

export function readProblem(xml: string): S3Problem {
  return { code: element(xml, 'Code') ?? '', message: element(xml, 'Message') ?? '' };
}

const elements = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gs'))].map(([, content = '']) => content);

function element(xml: string, name: string): string | undefined {
  const [content] = elements(xml, name);
  return content === undefined ? undefined : decode(content);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&amp;': '&',
};

function decode(text: string): string {
  return text.replaceAll(/&(?:lt|gt|quot|apos|amp|#x?[0-9a-fA-F]+);/g, (entity) => {
    const [, hex, digits] = /^&#(x?)([0-9a-fA-F]+);$/.exec(entity) ?? [];
    if (digits === undefined) return ENTITIES[entity] ?? entity;
    return String.fromCodePoint(Number.parseInt(digits, hex === 'x' ? 16 : 10));
  });
}
