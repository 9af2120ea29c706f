import { Stack, Text, Title } from '@mantine/core';
import type { ExplanationQuery } from '../../api/use-explanation.js';
import { Sentence } from '../../parts/texts.js';

/** The typed values that the player gets, and why. Nothing where the game has none. */
export function ValuesOfPlayer({ explanation }: { explanation: ExplanationQuery }) {
  const sentences = explanation.data?.because.values ?? [];
  if (sentences.length === 0) return null;
  return (
    <section aria-label="Values">
      <Title order={2} size="h4" mb="xs">
        Values
      </Title>
      <Stack gap={6}>
        {sentences.map((sentence) => (
          <Text key={sentence} size="xs" c="dimmed">
            <Sentence text={sentence} />
          </Text>
        ))}
      </Stack>
    </section>
  );
}
