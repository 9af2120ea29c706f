import { ActionIcon, Button, Group, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Sku } from '../../lib/document.js';
import { Icon } from '../../parts/Icon.js';

/** The text in other languages. */
export function Locales({
  label,
  value,
  onChange,
}: {
  label: string;
  value: Sku['name'];
  onChange: (value: Sku['name']) => void;
}) {
  const [locale, setLocale] = useState('');
  const { [locale]: taken } = value.locales;
  return (
    <Stack gap={4} pl="md">
      {Object.entries(value.locales).map(([name, text]) => (
        <Group key={name} gap="xs" wrap="nowrap">
          <TextInput
            size="xs"
            flex={1}
            aria-label={`${label} in ${name}`}
            leftSection={name}
            leftSectionWidth={52}
            value={text}
            onChange={({ currentTarget }) =>
              onChange({ ...value, locales: { ...value.locales, [name]: currentTarget.value } })
            }
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Remove ${label.toLowerCase()} in ${name}`}
            onClick={() => {
              const { [name]: _, ...locales } = value.locales;
              onChange({ ...value, locales });
            }}
          >
            <Icon name="trash" size={14} />
          </ActionIcon>
        </Group>
      ))}
      <Group gap="xs">
        <TextInput
          size="xs"
          w={90}
          placeholder="de"
          aria-label={`Language to add to the ${label.toLowerCase()}`}
          value={locale}
          onChange={({ currentTarget }) => setLocale(currentTarget.value)}
        />
        <Button
          size="compact-xs"
          variant="subtle"
          disabled={locale.length < 2 || taken !== undefined}
          onClick={() => {
            onChange({ ...value, locales: { ...value.locales, [locale]: value.default } });
            setLocale('');
          }}
        >
          Add language
        </Button>
      </Group>
    </Stack>
  );
}
