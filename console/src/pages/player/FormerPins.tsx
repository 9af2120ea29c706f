import type { Schemas } from '../../api/client.js';
import { DataTable, type MoreRows } from '../../parts/DataTable.js';
import { Moment, Person } from '../../parts/texts.js';

/** What was pinned before, newest first. Folded, because what counts now is beside each value. */
export function FormerPins({ pins, more }: { pins: readonly Schemas['Pin'][]; more: MoreRows }) {
  if (pins.length === 0) return null;
  return (
    <details>
      <summary>Former pins</summary>
      <DataTable
        label="Former pins"
        rows={pins}
        rowKey={({ target, setAt, clearedAt }) => `${target} ${setAt} ${clearedAt}`}
        more={more}
        empty={null}
        columns={[
          { id: 'value', header: 'Value', cell: ({ target }) => target },
          { id: 'pinned', header: 'Pinned to', cell: ({ value }) => JSON.stringify(value) },
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
