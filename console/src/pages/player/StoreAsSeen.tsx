import { Alert, Card, Group, NativeSelect, Stack, Text, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useGet, usePlace } from '../../api/hooks.js';
import { countOf, formatMoney } from '../../lib/format.js';
import { MomentInput } from '../../parts/fields.js';
import { EmptyState, Loaded } from '../../parts/states.js';
import { Moment } from '../../parts/texts.js';
import type { Explanation, ExplanationQuery } from './use-explanation.js';

const route = getRouteApi('/$studio/$game/players/$playerId');

/** The store as this player sees it, now or at any past moment, published or draft, with the reason beside each price. */
export function StoreAsSeen({ explanation }: { explanation: ExplanationQuery }) {
  const { game } = usePlace();
  const { at, version } = route.useSearch();
  const navigate = route.useNavigate();
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
              { value: '', label: at === undefined ? 'what is published' : 'what was published' },
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
          {(told) => <Skus explanation={told} />}
        </Loaded>
      </Stack>
    </section>
  );
}

function Skus({ explanation }: { explanation: Explanation }) {
  const { at, version, source, completeSince, decision, trace, because, problems } = explanation;
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        {version === 'draft' ? 'Under the draft' : `Under version ${version}`}, as of{' '}
        <Moment at={at} isExact />, from the {source}.
      </Text>
      {completeSince !== null && (
        <Alert color="orange" variant="light">
          Events from before <Moment at={completeSince} isExact /> are deleted: what they told is missing
          here.
        </Alert>
      )}
      {decision.heldOut && (
        <Alert color="blue" variant="light">
          This player is held out: always the catalogue, whatever the offers say.
        </Alert>
      )}
      {problems.map(({ part, message }) => (
        <Alert key={`${part} ${message}`} color="red" variant="light">
          {part}: {message}
        </Alert>
      ))}
      {trace.skus.length === 0 && (
        <EmptyState title="The catalogue is empty">
          Add SKUs on the page Store; they appear here at once under the draft.
        </EmptyState>
      )}
      {trace.skus.map((sku, index) => (
        <Card key={sku.skuId} withBorder padding="xs" role="group" aria-label={sku.skuId}>
          <Group justify="space-between" gap="xs">
            <Text fw={600} size="sm">
              {sku.skuId}
            </Text>
            {sku.isShown && sku.offerPrice !== null ? (
              <Text size="sm" className="figures">
                <b>{formatMoney(sku.offerPrice, sku.currency ?? '')}</b>{' '}
                {sku.actualPrice !== null && sku.actualPrice !== sku.offerPrice && (
                  <Text span c="dimmed" className="strike">
                    {formatMoney(sku.actualPrice, sku.currency ?? '')}
                  </Text>
                )}
              </Text>
            ) : (
              <Text size="sm" c="dimmed">
                not shown
              </Text>
            )}
          </Group>
          <Text size="xs" c="dimmed">
            {because.skus[index]}
          </Text>
        </Card>
      ))}
      {because.offers.length > 0 && (
        <details>
          <summary>{countOf(because.offers.length, 'offer')}: why they apply or do not</summary>
          <Stack gap={4} mt="xs">
            {because.offers.map((sentence) => (
              <Text key={sentence} size="xs">
                {sentence}
              </Text>
            ))}
          </Stack>
        </details>
      )}
    </Stack>
  );
}
