import { Table } from '@mantine/core';
import type { ApiProblem, Schemas } from '../api/client.js';

/** Where a file that was refused is wrong, by row and column. Nothing where it was refused for something else. */
export function FileMistakes({ problem }: { problem: ApiProblem | null | undefined }) {
  const rows = (problem?.details.rows ?? []) as Schemas['CatalogueRowError'][];
  if (rows.length === 0) return null;
  return (
    <Table aria-label="Mistakes in the file">
      <Table.Tbody>
        {rows.map(({ row, column, message }) => (
          <Table.Tr key={`${row} ${column} ${message}`}>
            <Table.Td className="nowrap">{row === null ? '' : `row ${row}`}</Table.Td>
            <Table.Td>{column}</Table.Td>
            <Table.Td>{message}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
