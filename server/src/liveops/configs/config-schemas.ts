import { Type } from 'typebox';
import { ConfigDocument } from '../../decide/document/document.js';
import { nullable, PersonEmail, successOf, Time } from '../../platform/admin-api/admin-responses.js';
import {
  DIFFERENCE_EXAMPLE,
  DocumentChange,
  DocumentProblem,
  PROBLEM_EXAMPLE,
} from '../../studio/admin-api/admin-error-details.js';

/** Documentation of the bodies of draft and version routes. */

export const DOCUMENT_EXAMPLE: ConfigDocument = {
  flags: {
    isPayer: { payerForDays: 90 },
    custom: [
      { flagId: 'betaTester', name: 'Beta tester', rule: 'eventCount.total > 500', defaultValue: false },
    ],
  },
  segments: [
    { segmentId: 'payer', name: 'Payer', rule: 'flags.isPayer', visibleToClients: true, priority: 0 },
  ],
  catalogue: [
    {
      skuId: 'gems_80',
      name: { default: '80 gems', locales: { de: '80 Edelsteine' } },
      description: { default: 'A handful.', locales: {} },
      prices: { USD: { actualPrice: '4.99', offerPrice: '4.99', floorPrice: '1.99' } },
      defaultCurrency: 'USD',
      assets: [],
      active: true,
      from: null,
      until: null,
    },
  ],
  store: { sendFallback: true, holdoutPercent: 5, largestDiscountPercent: '60' },
  offers: [
    {
      offerId: 'winter_sale',
      name: 'Winter sale',
      when: '"payer" in segments',
      from: '2026-12-24T18:00:00Z',
      until: '2026-12-27T18:00:00Z',
      sharePercent: 30,
      skus: ['gems_80'],
      effect: { price: { discountPercent: '50' }, promoId: 'winter-2026' },
      limitPerPlayer: 1,
      combine: false,
    },
  ],
  predictions: { visibleToClients: ['churn'], off: [] },
};

const Revision = Type.Integer({
  minimum: 0,
  description:
    'Incremented by every change of the draft, and by every publication while the draft has no changes. Send back the one you have seen.',
});
const Note = Type.String({ maxLength: 2000, description: 'What changed, for those who look back' });
const ConfirmLostValues = Type.Optional(
  Type.Boolean({
    description: 'Values may be taken away, or their types narrowed, while builds in use may ask for them',
  }),
);
export const ConfirmPriceRaises = Type.Optional(
  Type.Boolean({ description: 'Publish it also if prices inside of running offers go up' }),
);

const Draft = Type.Object(
  {
    revision: Revision,
    basedOn: Type.Integer({ description: 'The published version that it began with' }),
    isEdited: Type.Boolean({ description: 'False while it is what is published' }),
    updatedBy: nullable(Type.String()),
    updatedByEmail: PersonEmail,
    updatedAt: nullable(Time('Of the last change of what it shows')),
    document: ConfigDocument,
  },
  { title: 'Draft', description: 'The next configuration of a game while it is edited.' },
);

export const DraftResponse = successOf('DraftResponse', Draft, {
  example: {
    revision: 12,
    basedOn: 7,
    isEdited: true,
    updatedBy: 'Ada',
    updatedByEmail: 'ada@studio.example',
    updatedAt: '2026-11-15T12:00:00.000Z',
    document: DOCUMENT_EXAMPLE,
  },
});

const draftBody = {
  revision: Revision,
  basedOn: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        'After a `version_conflict`: the published version whose changes the document now takes into account',
    }),
  ),
};
export const DraftBody = Type.Object(
  { ...draftBody, document: ConfigDocument },
  { title: 'DraftRequest', examples: [{ revision: 12, document: DOCUMENT_EXAMPLE }] },
);
/** What is checked before the document itself is, which has an error of its own. */
export const DraftEnvelope = Type.Object({ ...draftBody, document: Type.Unknown() });

export const ValidateBody = Type.Object(
  { document: ConfigDocument },
  { title: 'ValidationRequest', examples: [{ document: DOCUMENT_EXAMPLE }] },
);
export const ValidateEnvelope = Type.Object({ document: Type.Unknown() });

export const ValidateResponse = successOf(
  'ValidationResponse',
  Type.Object({
    problems: Type.Array(DocumentProblem, { description: 'Empty if it could be published as it is' }),
  }),
  { example: { problems: [PROBLEM_EXAMPLE] } },
);

const Difference = Type.Array(DocumentChange);

export const DraftDifferenceResponse = successOf(
  'DraftDifferenceResponse',
  Type.Object({
    revision: Revision,
    basedOn: Type.Integer(),
    publishedVersion: Type.Integer(),
    difference: Difference,
  }),
  { example: { revision: 12, basedOn: 7, publishedVersion: 7, difference: DIFFERENCE_EXAMPLE } },
);

export const PublishBody = Type.Object(
  {
    revision: Revision,
    note: Note,
    confirmPriceRaises: ConfirmPriceRaises,
    confirmLostValues: ConfirmLostValues,
  },
  { title: 'PublishRequest', examples: [{ revision: 12, note: 'Winter sale' }] },
);
export const RollBackBody = Type.Object(
  {
    note: Note,
    confirmPriceRaises: ConfirmPriceRaises,
    confirmLostValues: ConfirmLostValues,
    basedOn: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'The version that you have seen in force; by default whichever is',
      }),
    ),
  },
  { title: 'RollBackRequest', examples: [{ note: 'The sale began too early', basedOn: 7 }] },
);

export const PublishedResponse = successOf(
  'PublishedResponse',
  Type.Object({
    version: Type.Integer({ description: 'The number of the new version' }),
    difference: Difference,
  }),
  {
    description: 'Every node serves it from the next request on.',
    example: { version: 8, difference: DIFFERENCE_EXAMPLE },
  },
);

const summary = {
  version: Type.Integer(),
  author: Type.String(),
  authorEmail: PersonEmail,
  note: Type.String(),
  publishedAt: nullable(
    Time('When it came into force; null for version 0, which every game has from the beginning'),
  ),
  copyOf: nullable(Type.Integer({ description: 'The older version that it repeats, if it is a way back' })),
};
const SUMMARY_EXAMPLE = {
  version: 7,
  author: 'Ada',
  authorEmail: 'ada@studio.example',
  note: 'Winter sale',
  publishedAt: '2026-11-15T12:00:00.000Z',
  copyOf: null,
};

export const VersionsResponse = successOf(
  'VersionsResponse',
  Type.Object({
    publishedVersion: Type.Integer({ description: 'The one in force' }),
    versions: Type.Array(Type.Object(summary, { title: 'VersionSummary' }), {
      description: 'Newest first',
    }),
  }),
  { example: { publishedVersion: 7, versions: [SUMMARY_EXAMPLE] } },
);

export const VersionResponse = successOf(
  'VersionResponse',
  Type.Object({ ...summary, document: ConfigDocument }, { title: 'Version' }),
  { example: { ...SUMMARY_EXAMPLE, document: DOCUMENT_EXAMPLE } },
);

export const VersionDifferenceResponse = successOf(
  'VersionDifferenceResponse',
  Type.Object({ version: Type.Integer(), against: Type.Integer(), difference: Difference }),
  { example: { version: 7, against: 6, difference: DIFFERENCE_EXAMPLE } },
);
