import { Badge, Group, Stack, Text, Title } from '@mantine/core';
import type { ExplanationQuery } from '../../api/use-explanation.js';
import { Loaded } from '../../parts/states.js';
import { Moment } from '../../parts/texts.js';

const NAMES: Readonly<Record<string, string>> = {
  churn: 'Churn',
  spend: 'Spend',
  purchases: 'Purchases',
  revenue: 'Revenue',
  revenue90: 'Revenue, 90 days',
  payerAlive: 'Payer is alive',
};

/** The predictions of the player with their bands, and whether each is more than an average. */
export function PredictionsOfPlayer({ explanation }: { explanation: ExplanationQuery }) {
  return (
    <section aria-label="Predictions">
      <Title order={2} size="h4" mb="xs">
        Predictions
      </Title>
      <Loaded query={explanation} height={90}>
        {({ predictions: { predictions, modelVersion, inForceSince } }) => (
          <Stack gap={6}>
            {Object.entries(predictions).map(([name, { band, state, sentence }]) => (
              <Group key={name} gap="xs" wrap="nowrap" align="flex-start" role="group" aria-label={name}>
                <Text size="sm" fw={600} miw={90}>
                  {NAMES[name] ?? name}
                </Text>
                <Badge
                  variant="light"
                  color={state === 'ready' ? 'blue' : 'gray'}
                  tt="none"
                  miw="fit-content"
                >
                  {state === 'ready' ? (band ?? 'ready') : state === 'off' ? 'off' : 'average'}
                </Badge>
                <Text size="xs" c="dimmed">
                  {sentence}
                </Text>
              </Group>
            ))}
            {modelVersion !== null && (
              <Text size="xs" c="dimmed">
                Training {modelVersion}, in force since <Moment at={inForceSince} />.
              </Text>
            )}
          </Stack>
        )}
      </Loaded>
    </section>
  );
}
