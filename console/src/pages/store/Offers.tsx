import { ActionIcon, Group, Table, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useRole } from '../../api/session.js';
import { useDraft } from '../../draft/draft-context.js';
import { useEntries } from '../../draft/use-entries.js';
import { barOf, placeOf, type Span, spanOf } from '../../lib/calendar.js';
import { type ConfigDocument, freeId, moved, type Offer, problemsUnder } from '../../lib/document.js';
import { effectInWords } from '../../lib/effect.js';
import { formatDay } from '../../lib/format.js';
import { AddButton, EntryLink, ProblemLines } from '../../parts/entries.js';
import { Icon } from '../../parts/Icon.js';
import { EmptyState } from '../../parts/states.js';
import { HiddenHeader, TableScroll } from '../../parts/TableScroll.js';
import { HeldOut } from './HeldOut.js';
import { MovableRow } from './MovableRow.js';
import { OfferPanel } from './OfferPanel.js';

const route = getRouteApi('/$studio/$game/store');

/** Offers as rows on a calendar. The first offer that matches a player decides about a SKU, so their order matters. */
export function Offers({ document }: { document: ConfigDocument }) {
  const { edit, problems } = useDraft();
  const { isEditor } = useRole();
  const { offer: openOffer } = route.useSearch();
  const navigate = route.useNavigate();
  const show = (offerId: string | undefined, replace = false) =>
    navigate({ search: (before) => ({ ...before, offer: offerId }), replace });
  const { offers } = document;
  const span = useMemo(() => spanOf(offers, Date.now()), [offers]);
  const setOffers = (change: (offers: readonly Offer[]) => Offer[]) =>
    edit((before) => ({ ...before, offers: change(before.offers) }));
  const { open, add } = useEntries({
    entries: offers,
    idOf: ({ offerId }) => offerId,
    pointer: '/offers',
    set: setOffers,
    openId: openOffer,
    onOpen: (offerId, replace) => show(offerId, replace),
  });
  const addNew = () => {
    const taken = offers.map(({ offerId }) => offerId);
    add(newOffer(freeId('new_offer', taken), document.catalogue[0]?.skuId));
  };

  return (
    <>
      <Group justify="space-between" mb="sm">
        <Text size="sm" c="dimmed">
          The first offer that matches a player wins a SKU, from top to bottom.
        </Text>
        {isEditor && <AddButton label="Add offer" onClick={addNew} />}
      </Group>
      {offers.length === 0 ? (
        <EmptyState title="No offers yet">
          <Text size="sm">
            An offer shows a price, a SKU or a badge to some players for some time. All other players see the
            catalogue.
          </Text>
        </EmptyState>
      ) : (
        <TableScroll label="Offers" minWidth={720}>
          <Table aria-label="Offers" className="sheet" verticalSpacing={6}>
            <Table.Thead>
              <Table.Tr>
                <HiddenHeader width={36} text="Order" />
                <Table.Th>Offer</Table.Th>
                <Table.Th>Effect</Table.Th>
                <Table.Th w="40%">
                  <Group justify="space-between">
                    <span>{formatDay(new Date(span.fromMs).toISOString().slice(0, 10))}</span>
                    <span>{formatDay(new Date(span.untilMs).toISOString().slice(0, 10))}</span>
                  </Group>
                </Table.Th>
                <HiddenHeader text="Open" />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {offers.map((offer, index) => (
                <MovableRow
                  key={offer.offerId}
                  name={offer.offerId}
                  index={index}
                  isReadOnly={!isEditor}
                  onMove={(from, to) => setOffers((before) => moved(before, from, to))}
                >
                  <Table.Td>
                    <EntryLink name={offer.name} onOpen={() => show(offer.offerId)} />
                    <Text size="xs" className="mono" c="dimmed">
                      {offer.when ?? 'all players'}
                    </Text>
                    <ProblemLines problems={problemsUnder(problems, `/offers/${index}`)} />
                  </Table.Td>
                  <Table.Td>
                    <Text size="sm">{effectInWords(offer)}</Text>
                  </Table.Td>
                  <Table.Td>
                    <Strip offer={offer} span={span} />
                  </Table.Td>
                  <Table.Td>
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      aria-label={`Open ${offer.offerId}`}
                      onClick={() => show(offer.offerId)}
                    >
                      <Icon name="open" />
                    </ActionIcon>
                  </Table.Td>
                </MovableRow>
              ))}
            </Table.Tbody>
          </Table>
        </TableScroll>
      )}
      <HeldOut settings={document.store} />
      {open !== undefined && (
        <OfferPanel {...open} offer={open.entry} document={document} isReadOnly={!isEditor} />
      )}
    </>
  );
}

function Strip({ offer, span }: { offer: Offer; span: Span }) {
  const bar = barOf(offer, span);
  const title = `${offer.from ?? 'always'} – ${offer.until ?? 'open end'}`;
  return (
    <div className="strip" title={title} role="img" aria-label={title}>
      {bar && <div className="strip-bar" style={{ left: `${bar.left}%`, width: `${bar.width}%` }} />}
      <div className="strip-now" style={{ left: `${placeOf(Date.now(), span)}%` }} />
    </div>
  );
}

function newOffer(offerId: string, skuId: string | undefined): Offer {
  return {
    offerId,
    name: 'New offer',
    when: 'flags.isPayer',
    from: null,
    until: null,
    sharePercent: 100,
    skus: skuId === undefined ? 'all' : [skuId],
    effect: { price: { discountPercent: '10' } },
    limitPerPlayer: null,
    combine: false,
  };
}
