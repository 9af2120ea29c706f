import { Group, NativeSelect, Stack, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useGet, useStudioAndGame } from '../../api/hooks.js';
import type { ExplanationQuery } from '../../api/use-explanation.js';
import { ExplainedStore } from '../../parts/ExplainedStore.js';
import { MomentInput } from '../../parts/fields.js';
import { Loaded } from '../../parts/states.js';

const route = getRouteApi('/$studio/$game/players/$playerId');

/** The store as this player sees it, now, at any past or any later moment, published or draft, with the reason beside each price. */
export function StoreAsSeen({ explanation }: { explanation: ExplanationQuery }) {
  const { game } = useStudioAndGame();
  const { at, version } = route.useSearch();
  const navigate = route.useNavigate();
  const isPast = at !== undefined && Date.parse(at) < Date.now();
  const versions = useGet('listVersions', { params: { game }, query: { limit: 50 } });
  return (
    <section aria-label="Store as seen">
      <Stack gap="sm">
        <Title order={2} size="h4">
          Store as seen
        </Title>
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
    </section>
  );
}
