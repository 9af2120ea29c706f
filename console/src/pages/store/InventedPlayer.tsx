import { Button, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useGet } from '../../api/hooks.js';
import { meaningsOf } from '../../lib/attribute-usages.js';
import { canBeInvented, type InventedValues, valueProblem } from '../../lib/invented-player.js';
import { AttributeInput } from '../../rules/AttributeInput.js';

/** The attributes that most rules use, and those that decide about language and currency. */
const BASICS = [
  'country',
  'locale',
  'currency',
  'daysSinceFirstSeen',
  'purchases.total',
  'daysSinceLastPurchase',
  'spend["USD"].total',
  'sessions.last7d',
];
const CURRENCY_MEANING = 'Which prices the player sees; not an attribute of rules.';

/** The form of an invented player: attributes that rules can use. An empty field is zero or unknown. */
export function InventedPlayer({
  values,
  asked,
  onChange,
}: {
  values: InventedValues;
  /** Attributes that the open offer uses: the form shows them from the start. */
  asked: readonly string[];
  onChange: (values: InventedValues) => void;
}) {
  const { data } = useGet('listAttributes');
  const [added, setAdded] = useState('');
  const attributes = data?.attributes ?? [];
  const meaning = meaningsOf(attributes);
  const shown = [...new Set([...BASICS, ...asked.filter(canBeInvented), ...Object.keys(values)])];
  const canAdd = added.trim() !== '' && !shown.includes(added.trim()) && canBeInvented(added);
  return (
    <Stack gap="xs">
      <Text size="xs" c="dimmed">
        What is left empty is zero or unknown. Segments follow from the rules; predictions are the averages of
        a new player.
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" verticalSpacing={6}>
        {shown.map((path) => (
          <TextInput
            key={path}
            size="xs"
            label={<span className="mono">{path}</span>}
            aria-label={path}
            title={path === 'currency' ? CURRENCY_MEANING : meaning(path)}
            placeholder={placeholderOf(path)}
            value={values[path] ?? ''}
            error={valueProblem(path, values[path] ?? '')}
            onChange={({ currentTarget }) => onChange({ ...values, [path]: currentTarget.value })}
          />
        ))}
      </SimpleGrid>
      <Group gap="xs" align="flex-end">
        <AttributeInput
          label="Another attribute"
          description='Names in quotes can be changed: events["Level_Complete"].total'
          attributes={attributes}
          isChoice={canBeInvented}
          value={added}
          onChange={setAdded}
        />
        <Button
          size="xs"
          variant="default"
          disabled={!canAdd}
          onClick={() => {
            onChange({ ...values, [added.trim()]: '' });
            setAdded('');
          }}
        >
          Add to the form
        </Button>
      </Group>
    </Stack>
  );
}

function placeholderOf(path: string): string {
  if (path.startsWith('flags.')) return 'as the rule says';
  return path.includes('.') || path.startsWith('days') ? '0' : 'unknown';
}
