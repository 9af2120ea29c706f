import { Badge, Group, Stack, Text, Title } from '@mantine/core';
import { Loaded } from '../../parts/states.js';
import type { ExplanationQuery } from '../../api/use-explanation.js';

/** The segments that the player is in, and why; on demand also those that they are not in. */
export function SegmentsOfPlayer({ explanation }: { explanation: ExplanationQuery }) {
  return (
    <section aria-label="Segments">
      <Title order={2} size="h4" mb="xs">
        Segments
      </Title>
      <Loaded query={explanation} height={70}>
        {({ trace, because }) => {
          const rows = trace.segments.map((segment, index) => ({
            ...segment,
            why: because.segments[index] ?? '',
          }));
          const [inside, outside] = [
            rows.filter(({ member }) => member),
            rows.filter(({ member }) => !member),
          ];
          return (
            <Stack gap={6}>
              {inside.length === 0 && (
                <Text size="sm" c="dimmed">
                  In no segment.
                </Text>
              )}
              {inside.map(({ segmentId, why }) => (
                <Line key={segmentId} segmentId={segmentId} why={why} isIn />
              ))}
              {outside.length > 0 && (
                <details>
                  <summary>Not in {outside.length}</summary>
                  <Stack gap={6} mt="xs">
                    {outside.map(({ segmentId, why }) => (
                      <Line key={segmentId} segmentId={segmentId} why={why} isIn={false} />
                    ))}
                  </Stack>
                </details>
              )}
            </Stack>
          );
        }}
      </Loaded>
    </section>
  );
}

function Line({ segmentId, why, isIn }: { segmentId: string; why: string; isIn: boolean }) {
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <Badge variant="light" color={isIn ? 'teal' : 'gray'} tt="none" miw="fit-content">
        {segmentId}
      </Badge>
      <Text size="xs" c="dimmed">
        {why}
      </Text>
    </Group>
  );
}
