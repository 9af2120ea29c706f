import { Card, SimpleGrid, Text, Title, Tooltip } from '@mantine/core';
import type { Schemas } from '../../api/client.js';
import { type RevenuePart, totalOf } from '../../lib/revenue-by-proof.js';
import { Money } from '../../parts/Money.js';

const PARTS: readonly { part: RevenuePart; name: string; definition: string }[] = [
  { part: 'verified', name: 'Verified', definition: 'Proved by a store or by a server of the studio' },
  { part: 'unverified', name: 'Unverified', definition: 'Claimed by clients, without a receipt' },
  {
    part: 'refunded',
    name: 'Refunded',
    definition: 'Given back of purchases of these days. It is not in the revenue.',
  },
];

/** How much of the revenue of the span is proved. Nothing where nobody has paid. */
export function RevenueByProof({ days }: { days: readonly Schemas['DashboardDay'][] }) {
  const totals = PARTS.map((one) => ({ ...one, ...totalOf(days, one.part) }));
  if (totals.every(({ paid }) => Object.keys(paid).length === 0)) return null;
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        Revenue by proof
      </Title>
      <SimpleGrid cols={3} spacing="sm">
        {totals.map(({ part, name, definition, paid, reported }) => (
          <Tooltip key={part} label={definition} multiline w={260} withArrow>
            <Card withBorder padding="sm">
              <Text size="xs" c="dimmed">
                {name}
              </Text>
              <Text fw={700} size="lg" className="figures" component="div" data-figure={`${part}Revenue`}>
                <Money paid={paid} reported={reported} isShort />
              </Text>
            </Card>
          </Tooltip>
        ))}
      </SimpleGrid>
    </section>
  );
}
