import { ActionIcon, Table, Text, TextInput, VisuallyHidden } from '@mantine/core';
import type { Rate, RateRow } from '../../lib/rates.js';
import { Icon } from '../../parts/Icon.js';

/** More inputs would make the page slow. The file has all rates. */
const SHOWN = 200;

const COLUMNS = [
  { name: 'currency', title: 'Currency', type: 'text', placeholder: 'EUR' },
  { name: 'from', title: 'Holds from (UTC)', type: 'date', placeholder: '' },
  { name: 'rate', title: 'Worth', type: 'text', placeholder: '1.08' },
] as const;

/** The rates as a sheet: a row for each currency and day. */
export function RateSheet({
  rows,
  currency,
  isReadOnly,
  onChange,
}: {
  rows: readonly RateRow[];
  /** The reporting currency. */
  currency: string;
  isReadOnly: boolean;
  onChange: (rows: RateRow[]) => void;
}) {
  if (rows.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No rates yet. A payment in a currency without a rate is not in the figures, and is named beside them.
      </Text>
    );
  }
  const edit = (key: number, name: keyof Rate, text: string) =>
    onChange(rows.map((row) => (row.key === key ? { ...row, [name]: text } : row)));
  return (
    <>
      <Table aria-label="Exchange rates" verticalSpacing={2} className="sheet">
        <Table.Thead>
          <Table.Tr>
            {COLUMNS.map(({ name, title }) => (
              <Table.Th key={name}>{name === 'rate' ? `${title} in ${currency || '…'}` : title}</Table.Th>
            ))}
            <Table.Th>
              <VisuallyHidden>Remove</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.slice(0, SHOWN).map((row) => (
            <Table.Tr key={row.key}>
              {COLUMNS.map(({ name, title, type, placeholder }) => (
                <Table.Td key={name}>
                  <TextInput
                    size="xs"
                    type={type}
                    aria-label={`${title} of ${row.currency || 'a new rate'}`}
                    placeholder={placeholder}
                    readOnly={isReadOnly}
                    value={row[name]}
                    onChange={({ currentTarget: { value } }) =>
                      edit(row.key, name, name === 'currency' ? value.toUpperCase() : value)
                    }
                  />
                </Table.Td>
              ))}
              <Table.Td>
                {!isReadOnly && (
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={`Remove the rate of ${row.currency || 'a new rate'} from ${row.from}`}
                    onClick={() => onChange(rows.filter(({ key }) => key !== row.key))}
                  >
                    <Icon name="trash" />
                  </ActionIcon>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {rows.length > SHOWN && (
        <Text size="sm" c="dimmed">
          {rows.length - SHOWN} more rates are in the file. Import a file to change them.
        </Text>
      )}
    </>
  );
}
