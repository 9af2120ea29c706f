import { Badge, Group, Stack, Text, Title } from '@mantine/core';
import type { ExplanationQuery } from '../../api/use-explanation.js';
import { Loaded } from '../../parts/states.js';
import { Sentence } from '../../parts/texts.js';

/** The segments that the player is in, and why; those that the player misses by one number; all others on demand. */
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
          const inside = rows.filter(({ member }) => member);
          const near = rows.filter(({ nearMiss }) => nearMiss !== null);
          const outside = rows.filter(({ member, nearMiss }) => !member && nearMiss === null);
          return (
            <Stack gap={6}>
              {inside.length === 0 && (
                <Text size="sm" c="dimmed">
                  In no segment.
                </Text>
              )}
              {inside.map(({ segmentId, why }) => (
                <Line key={segmentId} segmentId={segmentId} why={why} colour="teal" />
              ))}
              {near.length > 0 && (
                <Text size="xs" fw={600}>
                  Nearly in
                </Text>
              )}
              {near.map(({ segmentId, why }) => (
                <Line key={segmentId} segmentId={segmentId} why={why} colour="orange" />
              ))}
              {outside.length > 0 && (
                <details>
                  <summary>Not in {outside.length}</summary>
                  <Stack gap={6} mt="xs">
                    {outside.map(({ segmentId, why }) => (
                      <Line key={segmentId} segmentId={segmentId} why={why} colour="gray" />
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

function Line({ segmentId, why, colour }: { segmentId: string; why: string; colour: string }) {
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <Badge variant="light" color={colour} tt="none" miw="fit-content">
        {segmentId}
      </Badge>
      <Text size="xs" c="dimmed">
        <Sentence text={why} />
      </Text>
    </Group>
  );
}
