import { Table, Title } from '@mantine/core';
import type { ExplanationQuery } from '../../api/use-explanation.js';

/** What the game's own attributes say about the player. Nothing where the game defines none. */
export function AttributesOfPlayer({ explanation }: { explanation: ExplanationQuery }) {
  const own = Object.entries(explanation.data?.facts.own ?? {});
  if (own.length === 0) return null;
  return (
    <section aria-label="Attributes">
      <Title order={2} size="h4" mb="xs">
        Attributes
      </Title>
      <Table verticalSpacing={4} className="narrow">
        <Table.Tbody>
          {own.map(([attributeId, value]) => (
            <Table.Tr key={attributeId}>
              <Table.Th scope="row" className="mono" fw={400}>
                own.{attributeId}
              </Table.Th>
              <Table.Td>{shown(value)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

type Own = NonNullable<NonNullable<ExplanationQuery['data']>['facts']['own']>[string];

function shown(value: Own): string {
  if (value === null) return 'is being worked out';
  if (typeof value !== 'object') return value === '' ? '–' : String(value);
  return `${value.total} in all, ${value.last7d} in 7 days, ${value.last28d} in 28 days`;
}
