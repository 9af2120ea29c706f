import { outcomeOf } from '../../decide/compile/compile-values.js';
import type { ConfigDocument } from '../../decide/document/document.js';
import type { Schedule } from '../../decide/schedules/schedule.js';
import { ApiError } from '../../platform/errors.js';
import type { AudienceEnvelope } from './audience-schemas.js';
import type { AudiencePart } from './needed-parts.js';

export type AskedPart = Readonly<{
  part: AudiencePart;
  /** Null: everybody. Undefined for a segment with two thresholds: its rule alone does not decide who enters. */
  rule: string | null | undefined;
  /** When it begins, and its windows. */
  when: Readonly<{ from: string | null; schedule: Schedule | undefined }>;
}>;

const ALWAYS = { from: null, schedule: undefined };

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
  const { when: rule, from, schedule } = offer;
  return { part: { kind: 'offer', id }, rule, when: { from, schedule } };
}

function segmentPart({ segments }: ConfigDocument, id: string): AskedPart {
  const segment = segments.find(({ segmentId }) => segmentId === id) ?? missing(`segment "${id}"`);
  const rule = segment.thresholds === undefined ? segment.rule : undefined;
  return { part: { kind: 'segment', id }, rule, when: ALWAYS };
}

function valuePart({ values = [] }: ConfigDocument, { key, rule }: NonNullable<Asked['value']>): AskedPart {
  const entry = values.find((each) => each.key === key) ?? missing(`value "${key}"`);
  const { value, when, schedule } = entry.rules[rule] ?? missing(`rule ${rule} of the value "${key}"`);
  const part = { kind: 'value', id: outcomeOf(key, value).name } as const;
  return { part, rule: when, when: { from: null, schedule } };
}

function missing(what: string): never {
  throw new ApiError('body_invalid', { message: `The document has no ${what}.` });
}
