import { ActionIcon, Group, Switch, Table, Text, TextInput } from '@mantine/core';
import type { Problem, Sku, SkuPrice } from '../../lib/document.js';
import { ProblemLines } from '../../parts/entries.js';
import { Icon } from '../../parts/Icon.js';
import { Thumbnail } from '../../parts/Thumbnail.js';
import { MovableRow } from './MovableRow.js';

type Props = {
  sku: Sku;
  picture: string | undefined;
  index: number;
  currencies: readonly string[];
  isReadOnly: boolean;
  problems: readonly (Problem & { member: string })[];
  onChange: (sku: Sku) => void;
  onMove: (from: number, to: number) => void;
  onOpen: () => void;
};

export function SkuRow(props: Props) {
  const { sku, picture, index, currencies, isReadOnly, problems, onChange, onMove, onOpen } = props;
  const problemAt = (member: string) => problems.find((each) => each.member === member)?.message;
  const elsewhere = problems.filter(({ member }) => !isShownInRow(member, currencies));
  const setPrice = (currency: string, change: Partial<SkuPrice>) => {
    const before = sku.prices[currency] ?? { actualPrice: '', offerPrice: '' };
    const { [currency]: _, ...others } = sku.prices;
    const next = { ...before, ...change };
    // A currency with empty cells is removed.
    const isEmpty = next.actualPrice === '' && next.offerPrice === '';
    onChange({ ...sku, prices: isEmpty ? others : { ...sku.prices, [currency]: next } });
  };
  return (
    <MovableRow name={sku.skuId} index={index} isReadOnly={isReadOnly} onMove={onMove}>
      <Table.Td>
        <Group gap="xs" wrap="nowrap">
          <Thumbnail src={picture} name={sku.skuId} />
          <Text size="sm" className="mono">
            {sku.skuId}
          </Text>
        </Group>
        <ProblemLines problems={elsewhere} />
      </Table.Td>
      <Table.Td>
        <TextInput
          size="xs"
          miw={150}
          aria-label={`Name of ${sku.skuId}`}
          value={sku.name.default}
          readOnly={isReadOnly}
          error={problemAt('name/default')}
          onChange={({ currentTarget }) =>
            onChange({ ...sku, name: { ...sku.name, default: currentTarget.value } })
          }
        />
      </Table.Td>
      {currencies.map((currency) => {
        const price = sku.prices[currency];
        return (
          <Table.Td key={currency}>
            <Group gap={4} wrap="nowrap" align="flex-start">
              {(['actualPrice', 'offerPrice'] as const).map((member) => (
                <TextInput
                  key={member}
                  size="xs"
                  w={82}
                  inputMode="decimal"
                  className="figures"
                  placeholder="–"
                  aria-label={`${member === 'actualPrice' ? 'Price' : 'Offer price'} of ${sku.skuId} in ${currency}`}
                  value={price?.[member] ?? ''}
                  readOnly={isReadOnly}
                  error={problemAt(`prices/${currency}/${member}`)}
                  onChange={({ currentTarget }) => setPrice(currency, { [member]: currentTarget.value })}
                />
              ))}
            </Group>
          </Table.Td>
        );
      })}
      <Table.Td>
        <Switch
          pt={5}
          aria-label={`${sku.skuId} is active`}
          checked={sku.active}
          disabled={isReadOnly}
          onChange={({ currentTarget }) => onChange({ ...sku, active: currentTarget.checked })}
        />
      </Table.Td>
      <Table.Td>
        <ActionIcon variant="subtle" color="gray" aria-label={`Open ${sku.skuId}`} onClick={onOpen}>
          <Icon name="open" />
        </ActionIcon>
      </Table.Td>
    </MovableRow>
  );
}

function isShownInRow(member: string, currencies: readonly string[]): boolean {
  return (
    member === 'name/default' ||
    currencies.some((currency) =>
      [`prices/${currency}/actualPrice`, `prices/${currency}/offerPrice`].includes(member),
    )
  );
}
