import { ActionIcon, Autocomplete, Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { RequestOf } from '../../api/client.js';
import { useGet, useStudioAndGame } from '../../api/hooks.js';
import { todayUtc } from '../../lib/dashboard.js';
import { readSpan } from '../../lib/day-span.js';
import { MAX_STEPS, MIN_STEPS, readSteps, WINDOWS, writeSteps } from '../../lib/funnel.js';
import { DaySpanPicker } from '../../parts/DaySpanPicker.js';
import { Icon } from '../../parts/Icon.js';

const route = getRouteApi('/$studio/$game/analysis');
const CHOICES = ['7', '30', '90'];
const SPLITS = [
  { value: '', label: 'all players' },
  { value: 'country', label: 'by country' },
  { value: 'platform', label: 'by platform' },
  { value: 'build', label: 'by build' },
] as const;
/** They need no registration, so the list of types may not have them. */
const BUILT_IN = ['Session_Start', 'Session_End', 'Store_View', 'Purchase', 'Ad_Impression'];

/** The steps, their window and the days. All of it is in the address, so a funnel can be sent to others. */
export function FunnelForm({
  isBusy,
  onStart,
}: {
  isBusy: boolean;
  onStart: (request: RequestOf<'startFunnel'>) => void;
}) {
  const { game } = useStudioAndGame();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data: types } = useGet('listEventTypes', { params: { game } });
  const known = [...new Set([...BUILT_IN, ...(types?.eventTypes.map(({ eventType }) => eventType) ?? [])])];
  const steps = readSteps(search.steps);
  const today = todayUtc(Date.now());
  const span = readSpan(search, today, { choices: CHOICES, fallback: '30' });
  const window = WINDOWS.find(({ value }) => value === search.window)?.value ?? '24';
  const split = SPLITS.find(({ value }) => value === search.split)?.value ?? '';
  const change = (next: Partial<typeof search>) =>
    navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  const setSteps = (next: readonly string[]) => change({ steps: writeSteps(next) });
  const isReady = steps.every((step) => step.trim() !== '');
  return (
    <Stack gap="sm" maw={720}>
      {steps.map((step, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place, and two may have the same type
        <Group key={index} gap="xs" wrap="nowrap" align="flex-start">
          <Text size="sm" w={18} ta="right" pt={6} className="figures">
            {index + 1}.
          </Text>
          <Autocomplete
            size="xs"
            flex={1}
            aria-label={`Step ${index + 1}`}
            placeholder="Type of event"
            data={known}
            value={step}
            // A comma separates the steps in the address.
            onChange={(value) =>
              setSteps(steps.map((each, place) => (place === index ? value.replaceAll(',', '') : each)))
            }
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Remove step ${index + 1}`}
            disabled={steps.length <= MIN_STEPS}
            onClick={() => setSteps(steps.filter((_, place) => place !== index))}
          >
            <Icon name="trash" />
          </ActionIcon>
        </Group>
      ))}
      <Group gap="xs">
        <Button
          size="compact-xs"
          variant="subtle"
          disabled={steps.length >= MAX_STEPS}
          onClick={() => setSteps([...steps, ''])}
        >
          Add a step
        </Button>
        <NativeSelect
          size="xs"
          aria-label="Within"
          value={window}
          data={WINDOWS.map(({ value, label }) => ({ value, label: `within ${label}` }))}
          onChange={({ currentTarget }) => change({ window: currentTarget.value })}
        />
        <NativeSelect
          size="xs"
          aria-label="Split"
          value={split}
          data={SPLITS.map(({ value, label }) => ({ value, label }))}
          onChange={({ currentTarget }) => change({ split: currentTarget.value })}
        />
        <DaySpanPicker span={span} choices={CHOICES} today={today} onChange={change} />
        <Button
          size="xs"
          loading={isBusy}
          disabled={!isReady}
          onClick={() =>
            onStart({
              params: { game },
              body: {
                steps: steps.map((step) => step.trim()),
                windowHours: Number(window),
                from: span.from,
                to: span.to,
                ...(split === '' ? {} : { by: split }),
              },
            })
          }
        >
          Count
        </Button>
      </Group>
    </Stack>
  );
}
