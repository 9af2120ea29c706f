import { Button, Checkbox, Group, MultiSelect, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { AudienceNote } from '../../draft/AudienceNote.js';
import { type ConfigDocument, currenciesOf, type Offer, type Problem } from '../../lib/document.js';
import { MomentInput, WholeNumberInput } from '../../parts/fields.js';
import { SidePanel } from '../../parts/SidePanel.js';
import { RuleEditor } from '../../rules/RuleEditor.js';
import { OfferEffect } from './OfferEffect.js';
import { Preview } from './Preview.js';

type Props = {
  offer: Offer;
  document: ConfigDocument;
  /** Where the offer is in the document. */
  pointer: string;
  isReadOnly: boolean;
  problems: readonly (Problem & { member: string })[];
  onChange: (offer: Offer) => void;
  onRemove: () => void;
  onClose: () => void;
};

/** An offer: who, what, when, how often. */
export function OfferPanel(props: Props) {
  const { offer, document, pointer, isReadOnly, problems, onChange, onRemove, onClose } = props;
  const problemAt = (member: string) => problems.find((each) => each.member === member)?.message;
  const set = (change: Partial<Offer>) => onChange({ ...offer, ...change });
  const isAll = offer.skus === 'all';
  return (
    <SidePanel
      title={`Offer ${offer.offerId}`}
      isOpen
      onClose={onClose}
      actions={
        !isReadOnly && (
          <Button variant="subtle" color="red" onClick={onRemove}>
            Remove the offer
          </Button>
        )
      }
    >
      <fieldset disabled={isReadOnly} className="plain">
        <Stack gap="sm">
          <Group grow align="flex-start">
            <TextInput
              label="Id"
              value={offer.offerId}
              error={problemAt('offerId')}
              onChange={({ currentTarget }) => set({ offerId: currentTarget.value })}
            />
            <TextInput
              label="Name"
              value={offer.name}
              error={problemAt('name')}
              onChange={({ currentTarget }) => set({ name: currentTarget.value })}
            />
          </Group>
          <Text fw={600}>Who</Text>
          <RuleEditor
            label="Rule (CEL)"
            description="Empty: everybody"
            value={offer.when ?? ''}
            isReadOnly={isReadOnly}
            segments={document.segments.map(({ segmentId }) => segmentId)}
            flags={['isPayer', ...document.flags.custom.map(({ flagId }) => flagId)]}
            problems={problems.filter(({ member }) => member === 'when')}
            onChange={(rule) => set({ when: rule.trim() === '' ? null : rule })}
          />
          <TextInput
            label="Share of these players, in percent"
            description="The same players each time"
            inputMode="decimal"
            value={String(offer.sharePercent)}
            error={problemAt('sharePercent')}
            onChange={({ currentTarget }) => {
              const share = Number(currentTarget.value.replace(',', '.'));
              if (!Number.isNaN(share)) set({ sharePercent: share });
            }}
          />
          <AudienceNote document={document} part={{ offerId: offer.offerId }} pointer={pointer} />
          <Text fw={600}>What</Text>
          <NativeSelect
            label="For"
            value={isAll ? 'all' : 'some'}
            data={[
              { value: 'all', label: 'all SKUs' },
              { value: 'some', label: 'these SKUs' },
            ]}
            onChange={({ currentTarget }) =>
              set({
                skus:
                  currentTarget.value === 'all'
                    ? 'all'
                    : document.catalogue.slice(0, 1).map(({ skuId }) => skuId),
              })
            }
          />
          {offer.skus !== 'all' && (
            <MultiSelect
              label="SKUs"
              searchable
              limit={50}
              data={[...new Set([...document.catalogue.map(({ skuId }) => skuId), ...offer.skus])]}
              value={offer.skus}
              error={problemAt('skus')}
              onChange={(skus) => set({ skus })}
            />
          )}
          <OfferEffect
            offer={offer}
            currencies={currenciesOf(document.catalogue)}
            problemAt={problemAt}
            onChange={set}
          />
          <Text fw={600}>When</Text>
          <Group grow align="flex-start">
            <MomentInput
              label="From"
              value={offer.from}
              error={problemAt('from')}
              onChange={(from) => set({ from })}
            />
            <MomentInput
              label="Until"
              value={offer.until}
              error={problemAt('until')}
              onChange={(until) => set({ until })}
            />
          </Group>
          <Group grow align="flex-start">
            <WholeNumberInput
              label="Purchases per player"
              description="Empty: as many as they like"
              value={offer.limitPerPlayer}
              error={problemAt('limitPerPlayer')}
              onChange={(limitPerPlayer) => set({ limitPerPlayer })}
            />
            <Checkbox
              mt={28}
              label="Applies on top of other offers"
              checked={offer.combine}
              onChange={({ currentTarget }) => set({ combine: currentTarget.checked })}
            />
          </Group>
          {problems
            .filter(({ member }) => member === '' || member.startsWith('effect'))
            .map(({ pointer, message }) => (
              <Text key={`${pointer} ${message}`} size="sm" c="red" role="alert">
                {message}
              </Text>
            ))}
        </Stack>
      </fieldset>
      <Preview document={document} rule={offer.when ?? ''} />
    </SidePanel>
  );
}
