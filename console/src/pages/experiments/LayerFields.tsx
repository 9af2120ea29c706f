import { Checkbox, Group, Text, TextInput } from '@mantine/core';
import type { Experiment } from '../../lib/document.js';
import { DecimalInput } from '../../parts/fields.js';

type Layer = NonNullable<Experiment['layer']>;

type Props = {
  layer: Layer | undefined;
  problemWithin: (member: string) => string | undefined;
  onChange: (layer: Layer | undefined) => void;
};

/** A slot among the players of a layer. Experiments of one layer never share a player. */
export function LayerFields({ layer, problemWithin, onChange }: Props) {
  return (
    <>
      <Checkbox
        label="Shares no player with other experiments of a layer"
        checked={layer !== undefined}
        onChange={({ currentTarget }) =>
          onChange(currentTarget.checked ? { layerId: 'layer', fromPercent: 0, toPercent: 50 } : undefined)
        }
      />
      {layer !== undefined && (
        <>
          <Group grow align="flex-start">
            <TextInput
              label="Layer"
              value={layer.layerId}
              error={problemWithin('layer/layerId')}
              onChange={({ currentTarget }) => onChange({ ...layer, layerId: currentTarget.value })}
            />
            <DecimalInput
              label="From percent"
              value={layer.fromPercent}
              error={problemWithin('layer/fromPercent')}
              onChange={(fromPercent) => onChange({ ...layer, fromPercent })}
            />
            <DecimalInput
              label="To percent"
              value={layer.toPercent}
              error={problemWithin('layer/toPercent')}
              onChange={(toPercent) => onChange({ ...layer, toPercent })}
            />
          </Group>
          <Text size="xs" c="dimmed">
            All experiments that run in the layer have slots that do not overlap.
          </Text>
        </>
      )}
    </>
  );
}
