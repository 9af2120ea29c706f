import { Alert, Stack, Text } from '@mantine/core';
import type { ApiProblem, Schemas } from '../api/client.js';
import { formatMoney, formatUtc } from '../lib/format.js';

export function isPriceRaise(problem: ApiProblem | null): boolean {
  return problem?.code === 'price_raise_unconfirmed';
}

/** The prices that go up for players who see an offer now. Nothing is published until they are confirmed. */
export function PriceRaises({ problem }: { problem: ApiProblem | null }) {
  const raises = (problem?.details.raises ?? []) as Schemas['PriceRaise'][];
  return (
    <Alert color="orange" role="alert" title="Prices would go up for players who see an offer now">
      <Stack gap={4}>
        <Text size="sm">Nothing is published yet. If this is what you want, confirm it below.</Text>
        {raises.map(({ offerId, skuId, currency, from, to, at }) => (
          <Text size="sm" key={`${offerId} ${skuId} ${currency} ${at}`}>
            {skuId} in offer {offerId}: {formatMoney(from, currency)} → {formatMoney(to, currency)}
            {at === null ? '' : `, from ${formatUtc(at)}`}
          </Text>
        ))}
      </Stack>
    </Alert>
  );
}
