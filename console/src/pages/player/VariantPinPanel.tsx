import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import type { Schemas } from '../../api/client.js';
import { useGet, useStudioAndGame } from '../../api/hooks.js';
import { Loaded } from '../../parts/states.js';
import { PinPanel } from './PinPanel.js';

type Props = {
  playerId: string;
  /** The experiment. */
  target: string;
  current: Schemas['Pin'] | undefined;
  onClose: () => void;
};

/** The variants are those of the published version: others cannot be pinned. */
export function VariantPinPanel({ current, ...rest }: Props) {
  const { game } = useStudioAndGame();
  const found = useGet('getExperiment', { params: { game, experimentId: rest.target } });
  const variants = found.data?.experiment.variants ?? [];
  const [chosen, setChosen] = useState<string>();
  const value = chosen ?? current?.value ?? variants[0]?.variantId;
  return (
    <PinPanel
      {...rest}
      kind="variant"
      isPinned={current !== undefined}
      value={value}
      sentence="The player gets this variant with the next request, in any state of the experiment. Who was ever pinned is not in its results: pins are for test devices."
    >
      <Loaded query={found} height={60}>
        {() => (
          <NativeSelect
            label="Variant"
            value={String(value)}
            data={variants.map(({ variantId, name }) => ({
              value: variantId,
              label: `${variantId} ${name}`,
            }))}
            onChange={({ currentTarget }) => setChosen(currentTarget.value)}
          />
        )}
      </Loaded>
    </PinPanel>
  );
}
