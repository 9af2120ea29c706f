import { Group, NativeSelect, Stack, Text, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../../api/client.js';
import { useGet, useStudioAndGame } from '../../api/hooks.js';
import type { ExplanationQuery } from '../../api/use-explanation.js';
import { countOf, formatCount } from '../../lib/format.js';
import { ExplainedStore } from '../../parts/ExplainedStore.js';
import { MomentInput } from '../../parts/fields.js';
import { Loaded } from '../../parts/states.js';

const route = getRouteApi('/$studio/$game/players/$playerId');

/** The store as this player sees it, now, at any past or any later moment, published or draft, with the reason beside each price. */
export function StoreAsSeen({ explanation }: { explanation: ExplanationQuery }) {
  const { at, version } = route.useSearch();
  // Folded: a store may have hundreds of SKUs, and most who look at a player look for something else.
  const [isOpen, setOpen] = useState(at !== undefined || version !== undefined);
  return (
    <section aria-label="Store as seen">
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <Title order={2} size="h4" className="folded-title">
            Store as seen
          </Title>
          <Text span size="sm" c="dimmed">
            {explanation.data && ` ${shownOf(explanation.data)}`}
          </Text>
        </summary>
        {isOpen && <StoreAtTime explanation={explanation} />}
      </details>
    </section>
  );
}

function shownOf({ trace }: Schemas['Explanation']): string {
  const shown = trace.skus.filter(({ isShown }) => isShown).length;
  return `${formatCount(shown)} of ${countOf(trace.skus.length, 'SKU')} shown`;
}

function StoreAtTime({ explanation }: { explanation: ExplanationQuery }) {
  const { game } = useStudioAndGame();
  const { at, version } = route.useSearch();
  const navigate = route.useNavigate();
  const isPast = at !== undefined && Date.parse(at) < Date.now();
  const versions = useGet('listVersions', { params: { game }, query: { limit: 50 } });
  return (
    <Stack gap="sm" mt="xs">
      <Group align="flex-start" gap="sm">
        <MomentInput
          label="At"
          empty="now"
          size="xs"
          value={at ?? null}
          onChange={(next) => navigate({ search: (before) => ({ ...before, at: next ?? undefined }) })}
        />
        <NativeSelect
          label="Under"
          size="xs"
          value={version ?? ''}
          data={[
            { value: '', label: isPast ? 'what was published' : 'what is published' },
            { value: 'draft', label: 'the draft' },
            ...(versions.data?.versions ?? []).map((each) => ({
              value: String(each.version),
              label: `version ${each.version}`,
            })),
          ]}
          onChange={({ currentTarget }) =>
            navigate({ search: (before) => ({ ...before, version: currentTarget.value || undefined }) })
          }
        />
      </Group>
      <Loaded query={explanation} height={320}>
        {(told) => <ExplainedStore explanation={told} />}
      </Loaded>
    </Stack>
  );
}
