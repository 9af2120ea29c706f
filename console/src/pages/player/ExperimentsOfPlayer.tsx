import { Stack, Text, Title } from '@mantine/core';
import type { ExplanationQuery } from '../../api/use-explanation.js';
import { Sentence } from '../../parts/texts.js';

/** The arms of experiments that the player is in, or why not. Nothing where the game has no experiments. */
export function ExperimentsOfPlayer({ explanation }: { explanation: ExplanationQuery }) {
  const sentences = explanation.data?.because.experiments ?? [];
  if (sentences.length === 0) return null;
  return (
    <section aria-label="Experiments">
      <Title order={2} size="h4" mb="xs">
        Experiments
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
