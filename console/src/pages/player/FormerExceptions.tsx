import type { ReactNode } from 'react';
import type { Schemas } from '../../api/client.js';
import { DataTable, type MoreRows } from '../../parts/DataTable.js';
import { Moment, Person } from '../../parts/texts.js';

type Exception = Omit<Schemas['Override'], 'flagId' | 'value'>;

type Props<Row> = {
  /** `Former pins`. */
  label: string;
  rows: readonly Row[];
  more: MoreRows;
  /** What it was about: a flag, a value, an experiment. */
  subject: { header: string; of: (row: Row) => string };
  value: { header: string; of: (row: Row) => ReactNode };
};

/** What was set for the player before, newest first. Folded, because what counts now is beside each flag or value. */
export function FormerExceptions<Row extends Exception>({ label, rows, more, subject, value }: Props<Row>) {
  if (rows.length === 0) return null;
  return (
    <details>
      <summary>{label}</summary>
      <DataTable
        label={label}
        rows={rows}
        rowKey={(row) => `${subject.of(row)} ${row.setAt} ${row.clearedAt}`}
        more={more}
        empty={null}
        columns={[
          { id: 'subject', header: subject.header, cell: subject.of },
          { id: 'value', header: value.header, cell: value.of },
          { id: 'reason', header: 'Reason', cell: ({ reason }) => reason },
          {
            id: 'set',
            header: 'Set',
            cell: ({ author, authorEmail, setAt }) => (
              <>
                <Moment at={setAt} /> by <Person name={author} email={authorEmail} />
              </>
            ),
          },
          {
            id: 'over',
            header: 'Over',
            cell: ({ clearedAt, clearedBy, clearedByEmail, until }) =>
              clearedAt === null ? (
                <Moment at={until} />
              ) : (
                <>
                  <Moment at={clearedAt} /> by <Person name={clearedBy ?? ''} email={clearedByEmail} />
                </>
              ),
          },
        ]}
      />
    </details>
  );
}
