import {
  Button,
  Checkbox,
  Group,
  NativeSelect,
  Stack,
  Switch,
  Table,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useState } from 'react';
import type { Problem, Sku, SkuPrice } from '../../lib/document.js';
import { withSchedule } from '../../lib/schedule-form.js';
import { ProblemLines } from '../../parts/entries.js';
import { MomentInput } from '../../parts/fields.js';
import { ScheduleFields } from '../../parts/ScheduleFields.js';
import { SidePanel } from '../../parts/SidePanel.js';
import { Assets } from './Assets.js';
import { Locales } from './Locales.js';
import { SkuPicture } from './SkuPicture.js';

type Props = {
  sku: Sku;
  isReadOnly: boolean;
  problems: readonly (Problem & { member: string })[];
  onChange: (sku: Sku) => void;
  onRemove: () => void;
  onClose: () => void;
};

/** The members of a SKU that the sheet does not show. */
export function SkuPanel({ sku, isReadOnly, problems, onChange, onRemove, onClose }: Props) {
  const problemAt = (member: string) => problems.find((each) => each.member === member)?.message;
  const set = (change: Partial<Sku>) => onChange({ ...sku, ...change });
  return (
    <SidePanel
      title={`SKU ${sku.skuId}`}
      isOpen
      onClose={onClose}
      actions={
        !isReadOnly && (
          <Button variant="subtle" color="red" onClick={onRemove}>
            Remove from the catalogue
          </Button>
        )
      }
    >
      <fieldset disabled={isReadOnly} className="plain">
        <Stack gap="sm">
          <ProblemLines problems={problems} size="sm" />
          <SkuPicture skuId={sku.skuId} isReadOnly={isReadOnly} />
          <TextInput
            label="Id"
            description="As the app stores know it. Purchases name it."
            value={sku.skuId}
            error={problemAt('skuId')}
            onChange={({ currentTarget }) => set({ skuId: currentTarget.value })}
          />
          <TextInput
            label="Name"
            value={sku.name.default}
            error={problemAt('name/default')}
            onChange={({ currentTarget }) => set({ name: { ...sku.name, default: currentTarget.value } })}
          />
          <Locales label="Name" value={sku.name} onChange={(name) => set({ name })} />
          <Textarea
            label="Description"
            autosize
            value={sku.description.default}
            error={problemAt('description/default')}
            onChange={({ currentTarget }) =>
              set({ description: { ...sku.description, default: currentTarget.value } })
            }
          />
          <Locales
            label="Description"
            value={sku.description}
            onChange={(description) => set({ description })}
          />
          <Prices sku={sku} problemAt={problemAt} onChange={onChange} />
          <NativeSelect
            label="Default currency"
            description="For players whose currency is not known or has no price here"
            value={sku.defaultCurrency}
            data={[...new Set([...Object.keys(sku.prices), sku.defaultCurrency])]}
            error={problemAt('defaultCurrency')}
            onChange={({ currentTarget }) => set({ defaultCurrency: currentTarget.value })}
          />
          <Switch
            label="Active"
            description="Off takes the SKU out of every store; no offer can bring it back."
            checked={sku.active}
            onChange={({ currentTarget }) => set({ active: currentTarget.checked })}
          />
          <Checkbox
            label="Hidden: only players to whom an offer shows it see it"
            checked={sku.hidden ?? false}
            onChange={({ currentTarget }) => set({ hidden: currentTarget.checked })}
          />
          <Group grow align="flex-start">
            <MomentInput
              label="From"
              value={sku.from}
              error={problemAt('from')}
              onChange={(from) => set({ from })}
            />
            <MomentInput
              label="Until"
              value={sku.until}
              error={problemAt('until')}
              onChange={(until) => set({ until })}
            />
          </Group>
          <ScheduleFields
            schedule={sku.schedule}
            problemAt={(member) => problemAt(`schedule/${member}`)}
            isReadOnly={isReadOnly}
            onChange={(schedule) => onChange(withSchedule(sku, schedule))}
          />
          <Assets assets={sku.assets} problemAt={problemAt} onChange={(assets) => set({ assets })} />
        </Stack>
      </fieldset>
    </SidePanel>
  );
}

function Prices({
  sku,
  problemAt,
  onChange,
}: {
  sku: Sku;
  problemAt: (member: string) => string | undefined;
  onChange: (sku: Sku) => void;
}) {
  const [currency, setCurrency] = useState('');
  const setPrice = (name: string, price: SkuPrice) =>
    onChange({ ...sku, prices: { ...sku.prices, [name]: price } });
  const setFloor = (name: string, { floorPrice: _, ...price }: SkuPrice, floor: string) =>
    setPrice(name, floor === '' ? price : { ...price, floorPrice: floor });
  return (
    <div>
      <Table withRowBorders={false} verticalSpacing={3} aria-label="Prices">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Currency</Table.Th>
            <Table.Th>Price</Table.Th>
            <Table.Th>Offer price</Table.Th>
            <Table.Th>Floor</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {Object.entries(sku.prices).map(([name, price]) => (
            <Table.Tr key={name}>
              <Table.Td>{name}</Table.Td>
              {(['actualPrice', 'offerPrice'] as const).map((member) => (
                <Table.Td key={member}>
                  <TextInput
                    size="xs"
                    aria-label={`${member === 'actualPrice' ? 'Price' : 'Offer price'} in ${name}`}
                    value={price[member]}
                    error={problemAt(`prices/${name}/${member}`)}
                    onChange={({ currentTarget }) =>
                      setPrice(name, { ...price, [member]: currentTarget.value })
                    }
                  />
                </Table.Td>
              ))}
              <Table.Td>
                <TextInput
                  size="xs"
                  aria-label={`Floor price in ${name}`}
                  placeholder="none"
                  value={price.floorPrice ?? ''}
                  error={problemAt(`prices/${name}/floorPrice`)}
                  onChange={({ currentTarget }) => setFloor(name, price, currentTarget.value)}
                />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Group gap="xs" mt={4}>
        <TextInput
          size="xs"
          w={90}
          placeholder="EUR"
          aria-label="Currency to add"
          value={currency}
          maxLength={3}
          onChange={({ currentTarget }) => setCurrency(currentTarget.value.toUpperCase())}
        />
        <Button
          size="xs"
          variant="default"
          disabled={currency.length !== 3 || currency in sku.prices}
          onClick={() => {
            setPrice(currency, { actualPrice: '', offerPrice: '' });
            setCurrency('');
          }}
        >
          Add currency
        </Button>
      </Group>
    </div>
  );
}
