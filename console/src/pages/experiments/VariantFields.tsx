import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type Experiment, replacedAt } from '../../lib/document.js';
import { nextVariant, shareOfWeight, type Variant } from '../../lib/experiment-form.js';
import { formatShare } from '../../lib/format.js';
import { WholeNumberInput } from '../../parts/fields.js';
import { CopyIcon } from '../../parts/texts.js';
import { Reason } from './MetricsFields.js';

type Props = {
  experiment: Experiment;
  isReadOnly: boolean;
  /** Why ids and weights cannot be changed. */
  fixed: string | undefined;
  problemWithin: (member: string) => string | undefined;
  onChange: (variants: Variant[]) => void;
};

const MOST = 10;

/** The arms: the first is the control. */
export function VariantFields({ experiment, isReadOnly, fixed, problemWithin, onChange }: Props) {
  const { variants, experimentId } = experiment;
  return (
    <Stack gap="xs">
      {variants.map((variant, index) => {
        const at = `variants/${index}`;
        const set = (change: Partial<Variant>) =>
          onChange(replacedAt(variants, index, { ...variant, ...change }));
        const rule = `experiment("${experimentId}") == "${variant.variantId}"`;
        return (
          // The id is typed, so it cannot name the row.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <Stack key={index} gap={2} role="group" aria-label={`Arm ${index + 1}`}>
            <Group gap="xs" align="flex-start" wrap="nowrap">
              <TextInput
                label={index === 0 ? 'Control' : `Arm ${index + 1}`}
                aria-label={`Id of arm ${index + 1}`}
                w={110}
                disabled={fixed !== undefined}
                value={variant.variantId}
                error={problemWithin(`${at}/variantId`)}
                onChange={({ currentTarget }) => set({ variantId: currentTarget.value })}
              />
              <TextInput
                label="Name"
                flex={1}
                value={variant.name}
                error={problemWithin(`${at}/name`)}
                onChange={({ currentTarget }) => set({ name: currentTarget.value })}
              />
              <WholeNumberInput
                label="Weight"
                w={80}
                disabled={fixed !== undefined}
                value={variant.weight}
                error={problemWithin(`${at}/weight`)}
                onChange={(weight) => set({ weight: weight ?? 0 })}
              />
            </Group>
            <Group gap={4} wrap="nowrap" align="flex-start">
              <Text size="xs" c="dimmed" className="figures">
                {formatShare(shareOfWeight(variants, variant.weight))} of the players. In rules:{' '}
                <span className="mono">{rule}</span>
              </Text>
              <CopyIcon text={rule} label={`Copy the rule of arm ${index + 1}`} />
            </Group>
            {!isReadOnly && fixed === undefined && variants.length > 2 && (
              <Group>
                <Button
                  size="compact-xs"
                  variant="subtle"
                  color="red"
                  onClick={() => onChange(variants.filter((_, other) => other !== index))}
                >
                  Remove arm {index + 1}
                </Button>
              </Group>
            )}
          </Stack>
        );
      })}
      {fixed !== undefined && <Reason text={fixed} />}
      {!isReadOnly && fixed === undefined && (
        <Group>
          <Button
            size="compact-xs"
            variant="default"
            disabled={variants.length >= MOST}
            onClick={() => onChange([...variants, nextVariant(variants)])}
          >
            Add arm
          </Button>
        </Group>
      )}
    </Stack>
  );
}
