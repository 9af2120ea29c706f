import { Alert, Card, Group, Stack, Text } from '@mantine/core';
import type { Schemas } from '../api/client.js';
import { countOf, formatMoney } from '../lib/format.js';
import { EmptyState } from './states.js';
import { Moment, Sentence } from './texts.js';

/** A store as one player sees it, with the reason beside each price. */
export function ExplainedStore({ explanation }: { explanation: Schemas['Explanation'] }) {
  const { at, version, source, completeSince, decision, trace, because, problems } = explanation;
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        {version === 'draft' ? 'Under the draft' : `Under version ${version}`}, as of{' '}
        <Moment at={at} isExact />,{' '}
        {source === 'hypothetical' ? 'for an invented player' : `from the ${source}`}.
        {source === 'current row' &&
          Date.parse(at) > Date.now() &&
          ' As if the player did nothing until then.'}
      </Text>
      {completeSince !== null && (
        <Alert color="orange" variant="light">
          Events from before <Moment at={completeSince} isExact /> are deleted and are not counted here.
        </Alert>
      )}
      {decision.heldOut && (
        <Alert color="blue" variant="light">
          This player is held out and always gets the catalogue without offers.
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
            <Sentence text={because.skus[index] ?? ''} />
          </Text>
        </Card>
      ))}
      {because.offers.length > 0 && (
        <details>
          <summary>{countOf(because.offers.length, 'offer')}: why they apply or do not</summary>
          <Stack gap={4} mt="xs">
            {because.offers.map((sentence) => (
              <Text key={sentence} size="xs">
                <Sentence text={sentence} />
              </Text>
            ))}
          </Stack>
        </details>
      )}
    </Stack>
  );
}
