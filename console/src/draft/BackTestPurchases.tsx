import { Stack, Table, Text } from '@mantine/core';
import { countOf, formatCount, formatMoney } from '../lib/format.js';
import type { BackTestResult } from './use-back-test.js';

type Props = Pick<BackTestResult, 'purchases' | 'cannotKnow'>;
type Sku = BackTestResult['purchases']['skus'][number];

const CHANGES: readonly [
  keyof Sku & ('same' | 'lower' | 'higher' | 'notInStore' | 'otherCurrency'),
  string,
][] = [
  ['same', 'at the same price'],
  ['lower', 'at a lower price'],
  ['higher', 'at a higher price'],
  ['notInStore', 'not in the store'],
  ['otherCurrency', 'in another currency'],
];

/** What was bought, and what it would have cost under the draft. */
export function BackTestPurchases({ purchases, cannotKnow }: Props) {
  if (purchases.count === 0) return <Text size="sm">The examined players bought nothing in these days.</Text>;
  return (
    <section aria-label="Purchases">
      <Stack gap="xs">
        <Text size="sm" fw={600}>
          {countOf(purchases.count, 'purchase')}
        </Text>
        <Table.ScrollContainer minWidth={480} type="native" tabIndex={0}>
          <Table aria-label="What was bought">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Bought</Table.Th>
                <Table.Th ta="right">times</Table.Th>
                <Table.Th>with the draft</Table.Th>
                <Table.Th ta="right">paid</Table.Th>
                <Table.Th ta="right">would have cost</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {purchases.skus.map((sku) => (
                <Table.Tr key={`${sku.skuId} ${sku.currency}`}>
                  <Table.Td>{sku.skuId}</Table.Td>
                  <Table.Td ta="right">{formatCount(sku.purchases)}</Table.Td>
                  <Table.Td>{changesInWords(sku)}</Table.Td>
                  <Table.Td ta="right" className="nowrap">
                    {isCompared(sku) ? formatMoney(sku.comparedPaid, sku.currency) : '–'}
                  </Table.Td>
                  <Table.Td ta="right" className="nowrap">
                    {isCompared(sku) ? formatMoney(sku.comparedPrice, sku.currency) : '–'}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
        <Text size="xs" c="dimmed">
          {cannotKnow.purchases} {cannotKnow.prices}
        </Text>
      </Stack>
    </section>
  );
}

/** Whether any of the purchases has a price under the draft to compare with. */
function isCompared({ same, lower, higher }: Sku): boolean {
  return same + lower + higher > 0;
}

/** `12 at the same price, 3 at a lower price` */
function changesInWords(sku: Sku): string {
  return CHANGES.flatMap(([name, words]) =>
    sku[name] === 0 ? [] : [`${formatCount(sku[name])} ${words}`],
  ).join(', ');
}
