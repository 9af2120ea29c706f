import { Button, Checkbox, Group, Stack, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useDraft } from '../../draft/draft-context.js';
import { type ConfigDocument, problemsUnder } from '../../lib/document.js';

type Pricing = NonNullable<ConfigDocument['pricing']>;

const NOTHING: Pricing = { notices: {}, forbiddenAttributes: [], largestSpreadPercent: null };

/** What players are told about prices, and what prices may follow from. */
export function PricingRules({ document }: { document: ConfigDocument }) {
  const { edit, problems } = useDraft();
  const { pricing } = document;
  const found = problemsUnder(problems, '/pricing');
  const problemAt = (member: string) => found.find((each) => each.member.startsWith(member))?.message;
  const set = (change: Partial<Pricing>) =>
    edit((before) => ({ ...before, pricing: { ...(before.pricing ?? NOTHING), ...change } }));
  const toggle = (isOn: boolean) =>
    edit(({ pricing: _former, ...before }) => (isOn ? { ...before, pricing: NOTHING } : before));
  return (
    <Stack gap="md">
      <Checkbox
        label="Tell players what each price follows from"
        description="Adds priceBasis to every SKU: list, scheduled (time, country, platform) or personal."
        checked={pricing !== undefined}
        onChange={({ currentTarget }) => toggle(currentTarget.checked)}
      />
      {pricing !== undefined && (
        <>
          <Notices
            notices={pricing.notices}
            problem={problemAt('notices')}
            onChange={(notices) => set({ notices })}
          />
          <TagsInput
            label="Attributes that no rule about a price may read"
            description="For example predictions or spend. Segments and flags behind a rule count as well."
            value={pricing.forbiddenAttributes}
            error={problemAt('forbiddenAttributes')}
            onChange={(forbiddenAttributes) => set({ forbiddenAttributes })}
          />
          <TextInput
            label="Largest spread of prices, in percent"
            description="How far two prices of a SKU may lie apart in one country at one time. Empty: any."
            inputMode="decimal"
            value={pricing.largestSpreadPercent ?? ''}
            error={problemAt('largestSpreadPercent')}
            onChange={({ currentTarget: { value } }) =>
              set({ largestSpreadPercent: value === '' ? null : value })
            }
          />
          <TagsInput
            label="Countries whose players are told the lowest price of 30 days"
            description="Two letters each, or * for all. With each reduced SKU: the lowest price in the 30 days before the reduction."
            value={pricing.lowestPriceCountries ?? []}
            error={problemAt('lowestPriceCountries')}
            onChange={(countries) =>
              set({ lowestPriceCountries: countries.map((country) => country.toUpperCase()) })
            }
          />
        </>
      )}
    </Stack>
  );
}

type NoticesProps = {
  notices: Pricing['notices'];
  problem: string | undefined;
  onChange: (notices: Pricing['notices']) => void;
};

function Notices({ notices, problem, onChange }: NoticesProps) {
  const [country, setCountry] = useState('');
  const isNew = /^([A-Z]{2}|\*)$/.test(country) && !Object.hasOwn(notices, country);
  const without = (name: string) =>
    Object.fromEntries(Object.entries(notices).filter(([key]) => key !== name));
  return (
    <Stack gap="xs">
      <Text size="sm" fw={500}>
        Notices beside personal prices
      </Text>
      {Object.entries(notices).map(([name, notice]) => (
        <Group key={name} align="end" wrap="nowrap">
          <Textarea
            label={name === '*' ? 'All other countries' : name}
            autosize
            value={notice}
            flex={1}
            onChange={({ currentTarget }) => onChange({ ...notices, [name]: currentTarget.value })}
          />
          <Button
            variant="default"
            aria-label={`Remove the notice of ${name}`}
            onClick={() => onChange(without(name))}
          >
            Remove
          </Button>
        </Group>
      ))}
      <Group align="end">
        <TextInput
          label="Country"
          description="Two letters, or * for all others"
          w={200}
          value={country}
          error={problem}
          onChange={({ currentTarget }) => setCountry(currentTarget.value.toUpperCase())}
        />
        <Button
          variant="default"
          disabled={!isNew}
          onClick={() => {
            onChange({ ...notices, [country]: 'This price was set for you, by an automated decision.' });
            setCountry('');
          }}
        >
          Add a notice
        </Button>
      </Group>
    </Stack>
  );
}
