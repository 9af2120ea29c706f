import { Type } from 'typebox';
import { nullable, Time } from '../../platform/admin-api/admin-responses.js';

/**
 * What errors of the admin API carry besides code and message: the changes and problems of a document, raised prices, and the
 * mistakes in a catalogue. All routes share one error schema, so its parts are defined here.
 */

export const DocumentChange = Type.Object(
  {
    path: Type.String({ description: 'The part, such as `offers/winter_sale`, `store` or `flags/isPayer`' }),
    change: Type.Union([
      Type.Literal('added'),
      Type.Literal('removed'),
      Type.Literal('changed'),
      Type.Literal('reordered'),
    ]),
    before: Type.Unknown({ description: 'The part before the change; null if it is new' }),
    after: Type.Unknown({ description: 'The part after the change; null if it was removed' }),
  },
  { title: 'DocumentChange' },
);

export const DIFFERENCE_EXAMPLE = [
  {
    path: 'store',
    change: 'changed' as const,
    before: { sendFallback: true, holdoutPercent: 0, largestDiscountPercent: '60' },
    after: { sendFallback: true, holdoutPercent: 5, largestDiscountPercent: '60' },
  },
];

export const DocumentProblem = Type.Object(
  {
    pointer: Type.String({ description: 'JSON pointer into the document' }),
    subject: Type.Union([Type.String(), Type.Null()], {
      description: 'The flag, segment, SKU or offer with the problem, by its id',
    }),
    message: Type.String({ description: 'A sentence for the editor' }),
    position: Type.Union(
      [Type.Object({ offset: Type.Integer(), line: Type.Integer(), column: Type.Integer() }), Type.Null()],
      { description: 'The position in a rule; null if the problem is not in a rule' },
    ),
  },
  { title: 'DocumentProblem' },
);

export const PROBLEM_EXAMPLE = {
  pointer: '/segments/3/rule',
  subject: 'segment "payer"',
  message: 'There is no attribute "purchase". Did you mean "purchases"?',
  position: { offset: 0, line: 1, column: 1 },
};

export const ExperimentChange = Type.Object(
  {
    experimentId: Type.String(),
    members: Type.Array(Type.String(), { description: 'What cannot change while players are in it' }),
  },
  { title: 'ExperimentChange' },
);

export const ValueLoss = Type.Object(
  {
    key: Type.String(),
    change: Type.Union([Type.Literal('removed'), Type.Literal('hidden'), Type.Literal('narrowed')], {
      description: 'Hidden: for servers only from then on',
    }),
  },
  { title: 'ValueLoss' },
);

export const BuildInUse = Type.Object(
  {
    clientBuild: Type.String({ description: 'Empty: players whose game does not send its build' }),
    players: Type.Integer({ description: 'Active players on the busiest day' }),
  },
  { title: 'BuildInUse' },
);

export const PriceRaise = Type.Object(
  {
    offerId: Type.String(),
    skuId: Type.String(),
    currency: Type.String(),
    from: Type.String(),
    to: Type.String(),
    at: nullable(Time('When the price goes up; null: with the publication')),
    pointer: Type.String({ description: 'JSON pointer to the offer in the published document' }),
  },
  { title: 'PriceRaise' },
);

export const RAISE_EXAMPLE = {
  offerId: 'winter_sale',
  skuId: 'gems_80',
  currency: 'USD',
  from: '2.49',
  to: '3.99',
  at: null,
  pointer: '/offers/0',
};

export const RowError = Type.Object(
  {
    row: nullable(
      Type.Integer({
        description: 'The row as a spreadsheet counts it; for JSON the position in the list, from 1',
      }),
    ),
    column: nullable(Type.String({ description: 'The name of the column; for JSON the path of the member' })),
    message: Type.String({ description: 'A sentence for the editor' }),
  },
  {
    title: 'CatalogueRowError',
    description: 'Row and column are null if the error is not in a row or column.',
  },
);

export const ROW_ERROR_EXAMPLE = {
  row: 7,
  column: 'offerPrice:USD',
  message: 'The offer price is above the actual price of 4.99.',
};
