import { Badge, Group, Stack, Table, Text } from '@mantine/core';
import { describeChange } from '../lib/changes.js';
import type { DocumentChange } from '../lib/document.js';

const COLOURS = { added: 'green', removed: 'red', changed: 'blue', reordered: 'gray' } as const;

/** What changes, in words: part by part, value by value. */
export function Difference({ changes }: { changes: readonly DocumentChange[] }) {
  if (changes.length === 0) return <Text c="dimmed">Nothing differs.</Text>;
  return (
    <Stack gap="sm" role="group" aria-label="Changes">
      {changes.map(describeChange).map(({ path, kind, name, change, words, lines }) => (
        <div key={`${path} ${change}`}>
          <Group gap="xs">
            <Badge color={COLOURS[change]} variant="light" size="sm">
              {change}
            </Badge>
            <Text fw={600} size="sm">
              {kind} {name}
            </Text>
          </Group>
          {words !== null && <Text size="sm">{words}</Text>}
          {lines.length > 0 && (
            <Table withRowBorders={false} verticalSpacing={2}>
              <Table.Tbody>
                {lines.map(({ label, before, after }) => (
                  <Table.Tr key={label}>
                    <Table.Td w="35%">
                      <Text size="sm" c="dimmed">
                        {label}
                      </Text>
                    </Table.Td>
                    <Table.Td>
                      <Text size="sm">
                        {before !== null && <del>{before}</del>} {after !== null && <ins>{after}</ins>}
                      </Text>
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )}
        </div>
      ))}
    </Stack>
  );
}
