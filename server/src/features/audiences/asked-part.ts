import { ApiError } from '../../errors.js';
import { outcomeOf } from '../../personalisation/compile/compile-values.js';
import type { ConfigDocument } from '../../personalisation/document/document.js';
import type { AudienceEnvelope } from './audience-schemas.js';
import type { AudiencePart } from './needed-parts.js';

export type AskedPart = Readonly<{
  part: AudiencePart;
  /** Null: everybody. Undefined for a segment with two thresholds: its rule alone does not decide who enters. */
  rule: string | null | undefined;
}>;

type Asked = Omit<AudienceEnvelope, 'document'>;

/** The part that a request asks for. */
export function askedPart(document: ConfigDocument, asked: Asked): AskedPart {
  const { offerId, segmentId, value } = asked;
  if ([offerId, segmentId, value].filter((each) => each !== undefined).length !== 1) {
    throw new ApiError('body_invalid', { message: 'Send either offerId, segmentId or value.' });
  }
  if (value !== undefined) return valuePart(document, value);
  if (offerId !== undefined) return offerPart(document, offerId);
  return segmentPart(document, segmentId ?? '');
}

function offerPart({ offers }: ConfigDocument, id: string): AskedPart {
  const offer = offers.find(({ offerId }) => offerId === id) ?? missing(`offer "${id}"`);
  return { part: { kind: 'offer', id }, rule: offer.when };
}

function segmentPart({ segments }: ConfigDocument, id: string): AskedPart {
  const segment = segments.find(({ segmentId }) => segmentId === id) ?? missing(`segment "${id}"`);
  return { part: { kind: 'segment', id }, rule: segment.thresholds === undefined ? segment.rule : undefined };
}

function valuePart({ values = [] }: ConfigDocument, { key, rule }: NonNullable<Asked['value']>): AskedPart {
  const entry = values.find((each) => each.key === key) ?? missing(`value "${key}"`);
  const { value, when } = entry.rules[rule] ?? missing(`rule ${rule} of the value "${key}"`);
  return { part: { kind: 'value', id: outcomeOf(key, value).name }, rule: when };
}

function missing(what: string): never {
  throw new ApiError('body_invalid', { message: `The document has no ${what}.` });
}
