import type { Schemas } from '../../api/client.js';
import { DataTable, type MoreRows } from '../../parts/DataTable.js';
import { Moment, Person } from '../../parts/texts.js';
import { YesNo } from './YesNo.js';

/** What was said about the flags before, newest first. Folded, because what counts now is beside each flag. */
export function FormerOverrides({
  overrides,
  more,
}: {
  overrides: readonly Schemas['Override'][];
  more: MoreRows;
}) {
  if (overrides.length === 0) return null;
  return (
    <details>
      <summary>Former overrides</summary>
      <DataTable
        label="Former overrides"
        rows={overrides}
        rowKey={({ flagId, setAt, clearedAt }) => `${flagId} ${setAt} ${clearedAt}`}
        more={more}
        empty={null}
        columns={[
          { id: 'flag', header: 'Flag', cell: ({ flagId }) => flagId },
          { id: 'value', header: 'Value', cell: ({ value }) => <YesNo value={value} /> },
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
