import { Type } from 'typebox';
import { GameParameters, nullable, successOf, Time } from '../../platform/admin-api/admin-responses.js';
import { listResponse } from '../../platform/admin-api/page-cursor.js';

/** Requests and responses of the routes of exports. */

const ID_EXAMPLE = '0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a';

const Format = Type.Union([Type.Literal('ndjson'), Type.Literal('csv')], {
  description: 'One JSON document or one CSV line per event',
});

const Job = Type.Object(
  {
    exportId: Type.String({ format: 'uuid' }),
    state: Type.Union(
      [
        Type.Literal('waiting'),
        Type.Literal('running'),
        Type.Literal('done'),
        Type.Literal('failed'),
        Type.Literal('cancelled'),
      ],
      { description: 'The next free node begins a `waiting` export' },
    ),
    from: Type.String({ description: 'First instant of the events' }),
    to: Type.String({ description: 'The end, not included' }),
    format: Format,
    createdBy: Type.String(),
    createdAt: Time('When the export was started'),
    events: Type.Integer({ description: 'Events written so far' }),
    expectedEvents: Type.Integer({
      description: 'An estimate from the roll-ups of whole days; the export may have more events',
    }),
    bytes: Type.Integer({ description: 'The size of the compressed file' }),
    failure: nullable(Type.String({ description: 'Why the export failed, and what to do' })),
    finishedAt: nullable(Time('When the export ended')),
    expiresAt: Time('When the export is deleted'),
  },
  { title: 'Export' },
);
const JOB_EXAMPLE = {
  exportId: ID_EXAMPLE,
  state: 'running' as const,
  from: '2026-11-01T00:00:00.000000Z',
  to: '2026-11-15T00:00:00.000000Z',
  format: 'ndjson' as const,
  createdBy: 'Ada',
  createdAt: '2026-11-15T12:00:00.000Z',
  events: 1_204_000,
  expectedEvents: 3_120_448,
  bytes: 61_203_331,
  failure: null,
  finishedAt: null,
  expiresAt: '2026-11-22T12:00:00.000Z',
};

export const ExportParameters = Type.Object({
  ...GameParameters.properties,
  exportId: Type.String({
    format: 'uuid',
    description: '`exportId` of the list of exports',
    examples: [ID_EXAMPLE],
  }),
});

export const ExportBody = Type.Object(
  {
    from: Type.String({ description: 'A date (UTC) or an RFC 3339 time' }),
    to: Type.String({ description: 'The end, not included: a date or an RFC 3339 time' }),
    format: Type.Optional(Format),
  },
  {
    title: 'ExportRequest',
    examples: [{ from: '2026-11-01', to: '2026-11-15', format: 'ndjson' }],
  },
);

export const ExportResponse = successOf('ExportResponse', Job, { example: JOB_EXAMPLE });

export const ExportsResponse = listResponse('ExportsResponse', 'exports', Job, {
  example: JOB_EXAMPLE,
  description: 'Newest first',
});

export const CancelledExportResponse = successOf(
  'CancelledExportResponse',
  Type.Object({ exportId: Type.String({ format: 'uuid' }) }),
  { example: { exportId: ID_EXAMPLE } },
);
