import { Checkbox, Group, MultiSelect, NativeSelect, Text } from '@mantine/core';
import { AudienceNote } from '../../draft/AudienceNote.js';
import { type ConfigDocument, currenciesOf, type Offer } from '../../lib/document.js';
import { withHoldout } from '../../lib/offer-holdout.js';
import { withSchedule } from '../../lib/schedule-form.js';
import { EntryPanel, type EntryProblem, problemAtOf } from '../../parts/EntryPanel.js';
import { DecimalInput, MomentInput, WholeNumberInput } from '../../parts/fields.js';
import { ScheduleFields } from '../../parts/ScheduleFields.js';
import { RuleEditor } from '../../rules/RuleEditor.js';
import { OfferEffect } from './OfferEffect.js';
import { Preview } from './Preview.js';

type Props = {
  offer: Offer;
  document: ConfigDocument;
  /** Where the offer is in the document. */
  pointer: string;
  isReadOnly: boolean;
  problems: readonly EntryProblem[];
  onChange: (offer: Offer) => void;
  onRemove: () => void;
  onClose: () => void;
};

/** An offer: who, what, when, how often. */
export function OfferPanel({ offer, document, pointer, problems, onChange, ...rest }: Props) {
  const problemAt = problemAtOf(problems);
  const set = (change: Partial<Offer>) => onChange({ ...offer, ...change });
  const isAll = offer.skus === 'all';
  return (
    <EntryPanel
      {...rest}
      kind="Offer"
      id={offer.offerId}
      idMember="offerId"
      name={offer.name}
      problems={problems}
      removeLabel="Remove the offer"
      isElsewhere={(member) => member === '' || member.startsWith('effect')}
      onId={(offerId) => set({ offerId })}
      onName={(name) => set({ name })}
      beside={<Preview document={document} offer={offer} />}
    >
      <Text fw={600}>Who</Text>
      <RuleEditor
        label="Rule (CEL)"
        description="Empty: all players"
        value={offer.when ?? ''}
        isReadOnly={rest.isReadOnly}
        document={document}
        problems={problems.filter(({ member }) => member === 'when')}
        onChange={(rule) => set({ when: rule.trim() === '' ? null : rule })}
      />
      <DecimalInput
        label="Share of these players, in percent"
        description="The same players each time"
        value={offer.sharePercent}
        error={problemAt('sharePercent')}
        onChange={(sharePercent) => set({ sharePercent })}
      />
      <DecimalInput
        label="Of these held out, in percent"
        description="They never get the offer. The page Experiments compares them with those who do. 0: nobody"
        value={offer.holdoutPercent ?? 0}
        error={problemAt('holdoutPercent')}
        onChange={(percent) => onChange(withHoldout(offer, percent))}
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
      <ScheduleFields
        schedule={offer.schedule}
        problemAt={(member) => problemAt(`schedule/${member}`)}
        isReadOnly={rest.isReadOnly}
        onChange={(schedule) => onChange(withSchedule(offer, schedule))}
      />
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
    </EntryPanel>
  );
}
