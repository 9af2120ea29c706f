import { Button, Group, Table, Text, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useRole } from '../../api/session.js';
import { usePictures } from '../../api/use-pictures.js';
import { useDraft } from '../../draft/draft-context.js';
import { useEntries } from '../../draft/use-entries.js';
import {
  type ConfigDocument,
  currenciesOf,
  freeId,
  moved,
  problemsUnder,
  replacedAt,
  type Sku,
} from '../../lib/document.js';
import { countOf } from '../../lib/format.js';
import { AddButton } from '../../parts/entries.js';
import { EmptyState } from '../../parts/states.js';
import { HiddenHeader, TableScroll } from '../../parts/TableScroll.js';
import { SkuPanel } from './SkuPanel.js';
import { SkuRow } from './SkuRow.js';

const route = getRouteApi('/$studio/$game/store');
/** A laptop draws this many rows of inputs without a pause; the filter finds the others. */
const ROWS_AT_ONCE = 100;

/** The catalogue as a sheet: names and prices are edited in place, rows are moved by their handles. */
export function Catalogue({ document }: { document: ConfigDocument }) {
  const { edit, problems } = useDraft();
  const { isEditor } = useRole();
  const { sku: openSku, filter = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const pictures = usePictures();
  const [limit, setLimit] = useState(ROWS_AT_ONCE);
  const { catalogue } = document;
  const currencies = currenciesOf(catalogue);
  const wanted = filter.trim().toLowerCase();
  const rows = catalogue
    .map((sku, index) => ({ sku, index }))
    .filter(({ sku }) => `${sku.skuId} ${sku.name.default}`.toLowerCase().includes(wanted));
  const setCatalogue = (change: (catalogue: readonly Sku[]) => Sku[]) =>
    edit((before) => ({ ...before, catalogue: change(before.catalogue) }));
  const show = (skuId: string | undefined, replace = false) =>
    navigate({ search: (before) => ({ ...before, sku: skuId }), replace });
  const { open, add } = useEntries({
    entries: catalogue,
    idOf: ({ skuId }) => skuId,
    pointer: '/catalogue',
    set: setCatalogue,
    openId: openSku,
    onOpen: show,
  });
  const addNew = () => {
    const taken = catalogue.map(({ skuId }) => skuId);
    add(newSku(freeId('new_sku', taken), currencies[0] ?? 'USD'));
  };

  return (
    <>
      <Group justify="space-between" mb="sm">
        <TextInput
          size="xs"
          w={260}
          placeholder="Filter by id or name"
          aria-label="Filter the catalogue"
          value={filter}
          onChange={({ currentTarget }) =>
            navigate({
              search: (before) => ({ ...before, filter: currentTarget.value || undefined }),
              replace: true,
            })
          }
        />
        {isEditor && <AddButton label="Add SKU" onClick={addNew} />}
      </Group>
      {catalogue.length === 0 ? (
        <EmptyState title="The catalogue is empty">
          <Text size="sm">
            Add a SKU, or import the list that you have as CSV or JSON. Players see it after publishing.
          </Text>
        </EmptyState>
      ) : (
        <TableScroll label="Catalogue" minWidth={420 + currencies.length * 190}>
          <Table className="sheet" aria-label="Catalogue" verticalSpacing={4}>
            <Table.Thead>
              <Table.Tr>
                <HiddenHeader width={36} text="Order" />
                <Table.Th>SKU</Table.Th>
                <Table.Th>Name</Table.Th>
                {currencies.map((currency) => (
                  <Table.Th key={currency}>
                    {currency}{' '}
                    <Text span c="dimmed" size="xs">
                      price / offer price
                    </Text>
                  </Table.Th>
                ))}
                <Table.Th>Active</Table.Th>
                <HiddenHeader text="Open" />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.slice(0, limit).map(({ sku, index }) => (
                <SkuRow
                  key={sku.skuId}
                  sku={sku}
                  picture={pictures.get(sku.skuId)}
                  index={index}
                  currencies={currencies}
                  isReadOnly={!isEditor}
                  problems={problemsUnder(problems, `/catalogue/${index}`)}
                  onChange={(next) => setCatalogue((before) => replacedAt(before, index, next))}
                  onMove={(from, to) => setCatalogue((before) => moved(before, from, to))}
                  onOpen={() => show(sku.skuId)}
                />
              ))}
            </Table.Tbody>
          </Table>
        </TableScroll>
      )}
      {rows.length === 0 && catalogue.length > 0 && (
        <Text c="dimmed">No SKU has “{filter}” in its id or name.</Text>
      )}
      {rows.length > limit && (
        <Button variant="default" size="xs" onClick={() => setLimit(limit + ROWS_AT_ONCE)}>
          Show more of {countOf(rows.length, 'SKU')}
        </Button>
      )}
      {open !== undefined && <SkuPanel {...open} sku={open.entry} isReadOnly={!isEditor} />}
    </>
  );
}

function newSku(skuId: string, currency: string): Sku {
  return {
    skuId,
    name: { default: 'New SKU', locales: {} },
    description: { default: '', locales: {} },
    prices: { [currency]: { actualPrice: '0.99', offerPrice: '0.99' } },
    defaultCurrency: currency,
    assets: [],
    // Inactive until the editor has looked at it.
    active: false,
    from: null,
    until: null,
  };
}
