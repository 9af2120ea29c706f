import { Button, Checkbox, Group, Menu, Skeleton, Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { HiddenHeader, TableScroll } from './TableScroll.js';

export type Column<Row> = {
  id: string;
  /** Empty for a column of buttons, which say themselves what they do. */
  header: ReactNode;
  cell: (row: Row) => ReactNode;
  isNumber?: boolean;
  /** Always shown, also if the viewer has hidden other columns. */
  isFixed?: boolean;
};

/** Lists are paged by keyset: there is a next page or there is none, and the total is not counted. */
export type MoreRows = { has: boolean; isLoading: boolean; load: () => void };

type Pages = { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };

/** For the pages of `usePages`. */
export const moreOf = ({ hasNextPage, isFetchingNextPage, fetchNextPage }: Pages): MoreRows => ({
  has: hasNextPage,
  isLoading: isFetchingNextPage,
  load: () => void fetchNextPage(),
});

type Props<Row> = {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string;
  empty: ReactNode;
  onOpen?: ((row: Row) => void) | undefined;
  more?: MoreRows;
  /** Which columns are left out, as the address says it: `country,platform`. */
  hidden?: { value: string | undefined; onChange: (hidden: string | undefined) => void };
};

/** The one table of the console. */
export function DataTable<Row>({ label, columns, rows, rowKey, empty, onOpen, more, hidden }: Props<Row>) {
  // A filtered page may be empty and still have a next one.
  if (rows !== undefined && rows.length === 0 && !more?.has) return <>{empty}</>;
  const left = new Set(hidden?.value?.split(','));
  const shown = columns.filter(({ id, isFixed }) => isFixed || !left.has(id));
  return (
    <>
      {hidden && <ColumnChoice columns={columns} left={left} onChange={hidden.onChange} />}
      <TableScroll label={label} minWidth={Math.min(520, shown.length * 110)}>
        <Table highlightOnHover={onOpen !== undefined} aria-label={label} verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              {shown.map(({ id, header, isNumber }) =>
                header === '' ? (
                  <HiddenHeader key={id} text="Actions" />
                ) : (
                  <Table.Th key={id} ta={isNumber ? 'right' : 'left'} className="nowrap">
                    {header}
                  </Table.Th>
                ),
              )}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows === undefined
              ? ['a', 'b', 'c', 'd', 'e'].map((name) => (
                  <Table.Tr key={name}>
                    <Table.Td colSpan={shown.length}>
                      <Skeleton height={18} />
                    </Table.Td>
                  </Table.Tr>
                ))
              : rows.map((row) => (
                  <Table.Tr
                    key={rowKey(row)}
                    {...(onOpen === undefined
                      ? {}
                      : { onClick: () => onOpen(row), style: { cursor: 'pointer' } })}
                  >
                    {shown.map(({ id, cell, isNumber }) => (
                      <Table.Td key={id} ta={isNumber ? 'right' : 'left'}>
                        {cell(row)}
                      </Table.Td>
                    ))}
                  </Table.Tr>
                ))}
          </Table.Tbody>
        </Table>
      </TableScroll>
      {more?.has && (
        <Group>
          <Button variant="default" size="xs" loading={more.isLoading} onClick={more.load}>
            Show more
          </Button>
        </Group>
      )}
    </>
  );
}

function ColumnChoice<Row>({
  columns,
  left,
  onChange,
}: {
  columns: readonly Column<Row>[];
  left: ReadonlySet<string>;
  onChange: (hidden: string | undefined) => void;
}) {
  const toggle = (id: string) => {
    const next = new Set([...left].filter((each) => each !== ''));
    if (!next.delete(id)) next.add(id);
    onChange(next.size === 0 ? undefined : [...next].join(','));
  };
  return (
    <Group justify="flex-end">
      <Menu closeOnItemClick={false}>
        <Menu.Target>
          <Button variant="subtle" size="compact-xs">
            Columns
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {columns
            .filter(({ isFixed }) => !isFixed)
            .map(({ id, header }) => (
              <Menu.Item key={id} onClick={() => toggle(id)}>
                <Checkbox label={header} checked={!left.has(id)} readOnly tabIndex={-1} />
              </Menu.Item>
            ))}
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}
