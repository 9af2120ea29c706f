import { Code, ScrollArea, Table, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { useGet } from '../api/hooks.js';
import { Loaded } from '../parts/states.js';
import { useAttributes } from './use-attributes.js';

/** Every attribute with what it means, from the registry that rules are checked with. */
export function AttributeHelp({ onPick }: { onPick?: (usage: string) => void }) {
  const query = useGet('listAttributes');
  const attributes = useAttributes();
  const [filter, setFilter] = useState('');
  const wanted = filter.trim().toLowerCase();
  return (
    <Loaded query={query} height={240}>
      {() => (
        <div>
          <TextInput
            size="xs"
            placeholder="Filter"
            aria-label="Filter the attributes"
            value={filter}
            onChange={({ currentTarget }) => setFilter(currentTarget.value)}
          />
          <ScrollArea.Autosize mah={260} type="auto">
            <Table verticalSpacing={4}>
              <Table.Tbody>
                {attributes
                  .filter(({ name, meaning }) => `${name} ${meaning}`.toLowerCase().includes(wanted))
                  .map(({ name, usage, meaning, fields }) => (
                    <Table.Tr key={name}>
                      <Table.Td className="nowrap">
                        {onPick === undefined ? (
                          <Code>{usage}</Code>
                        ) : (
                          <UnstyledButton onClick={() => onPick(usage)} title="Put it into the rule">
                            <Code>{usage}</Code>
                          </UnstyledButton>
                        )}
                      </Table.Td>
                      <Table.Td>
                        <Text size="xs">{meaning}</Text>
                        {fields.length > 1 && (
                          <Text size="xs" c="dimmed">
                            {fields.map((field) => `${field.name}: ${field.meaning}`).join(' · ')}
                          </Text>
                        )}
                      </Table.Td>
                    </Table.Tr>
                  ))}
              </Table.Tbody>
            </Table>
          </ScrollArea.Autosize>
        </div>
      )}
    </Loaded>
  );
}
