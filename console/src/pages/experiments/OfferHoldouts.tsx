import { Card, Stack, Text, Title } from '@mantine/core';
import type { DataOf } from '../../api/client.js';
import { useGet, useStudioAndGame } from '../../api/hooks.js';
import { Loaded } from '../../parts/states.js';
import { IntervalsOfMetric } from './IntervalsOfMetric.js';

type Holdout = DataOf<'listOfferHoldouts'>['offers'][number];

/** What single offers change: players who are held out of one against those who get it. Nothing while no offer holds players out. */
export function OfferHoldouts() {
  const { game } = useStudioAndGame();
  const holdouts = useGet('listOfferHoldouts', { params: { game } });
  return (
    <Loaded query={holdouts} height={60}>
      {({ offers }) =>
        offers.length === 0 ? null : (
          <section>
            <Title order={2} size="h4" mt="lg" mb="xs">
              Offers with a hold-out
            </Title>
            <Stack gap="sm">
              {offers.map((holdout) => (
                <OfferHoldout key={holdout.offerId} holdout={holdout} />
              ))}
            </Stack>
          </section>
        )
      }
    </Loaded>
  );
}

function OfferHoldout({
  holdout: { offerId, name, holdoutPercent, sentence, report },
}: {
  holdout: Holdout;
}) {
  return (
    <Card withBorder padding="sm">
      <Title order={3} size="h5">
        {name}
      </Title>
      <Text size="xs" c="dimmed">
        <span className="mono">{offerId}</span>, {holdoutPercent}% of the players whom it would apply to are
        held out
      </Text>
      <Text size="sm">{sentence}</Text>
      {report?.metrics.map((metric) => (
        <div key={metric.title}>
          <Text size="sm" fw={500} mt="xs">
            {metric.title}
          </Text>
          <IntervalsOfMetric report={metric} />
        </div>
      ))}
    </Card>
  );
}
