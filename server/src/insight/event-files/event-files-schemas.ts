import { Type } from 'typebox';
import { nullable, successOf } from '../../platform/admin-api/admin-responses.js';

/** Requests and responses of the routes of files of events. */

const MAX_QUESTION = 20_000;

export const EventFilesResponse = successOf(
  'EventFilesResponse',
  Type.Object({
    isOn: Type.Boolean({ description: 'Whether this node has a folder for files of events' }),
    files: Type.Integer({ description: 'One for each day of receipt' }),
    events: Type.Integer(),
    bytes: Type.Integer(),
    firstDay: nullable(Type.String({ format: 'date', description: 'The first day of receipt with a file' })),
    lastDay: nullable(Type.String({ format: 'date', description: 'The last one' })),
  }),
  {
    example: {
      isOn: true,
      files: 31,
      events: 3_120_448,
      bytes: 61_203_331,
      firstDay: '2026-10-15',
      lastDay: '2026-11-14',
    },
  },
);

export const QuestionBody = Type.Object(
  {
    sql: Type.String({
      minLength: 1,
      maxLength: MAX_QUESTION,
      description: 'One statement that reads the table `events`, in the SQL of DuckDB',
    }),
  },
  { title: 'Question', examples: [{ sql: 'select event_type, count(*) from events group by all' }] },
);

export const AnswerResponse = successOf(
  'AnswerResponse',
  Type.Object({
    columns: Type.Array(
      Type.Object({ name: Type.String(), type: Type.String({ description: 'As DuckDB names it' }) }),
    ),
    rows: Type.Array(
      Type.Array(
        Type.Unknown({
          description:
            'Whole numbers beyond 32 bits, decimals and times are text; lists and structures are JSON',
        }),
      ),
    ),
    isCut: Type.Boolean({ description: 'There are more rows than an answer may have' }),
  }),
  {
    example: {
      columns: [
        { name: 'event_type', type: 'VARCHAR' },
        { name: 'count_star()', type: 'BIGINT' },
      ],
      rows: [['Session_Start', '81204']],
      isCut: false,
    },
  },
);
