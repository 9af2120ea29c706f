import { Type } from 'typebox';
import { ConfigDocument } from '../../../decide/document/document.js';
import { successOf } from '../../../platform/admin-api/admin-responses.js';
import { DOCUMENT_EXAMPLE } from '../config-schemas.js';
import { catalogueToCsv } from './catalogue-csv.js';

/** Documentation of the bodies of catalogue routes. */

/** The two forms of a catalogue, for requests and responses. */
export const CATALOGUE_FILE = {
  content: {
    'application/json': {
      schema: Type.Unsafe<unknown>({
        ...ConfigDocument.properties.catalogue,
        examples: [DOCUMENT_EXAMPLE.catalogue],
      }),
    },
    'text/csv': {
      schema: Type.String({
        description:
          'RFC 4180 in UTF-8, one row a SKU under a header: skuId, active, hidden, from, until, defaultCurrency, name, description and assets (JSON) always, and name:<locale>, description:<locale>, price:<currency>, offerPrice:<currency> and floorPrice:<currency> as needed. A text that a spreadsheet would take for a formula has an apostrophe before it, which is taken away again. Schedules have no column: a SKU keeps the one that it has.',
        examples: [catalogueToCsv(DOCUMENT_EXAMPLE.catalogue)],
      }),
    },
  },
};

export const ImportResponse = successOf(
  'CatalogueImportResponse',
  Type.Object({
    revision: Type.Integer({ description: 'Of the draft, which now holds it' }),
    added: Type.Integer(),
    changed: Type.Integer(),
    removed: Type.Integer(),
    unchanged: Type.Integer({ description: 'SKUs that are as they were' }),
  }),
  { example: { revision: 13, added: 2, changed: 5, removed: 0, unchanged: 40 } },
);
