import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Experiment, replacedAt } from '../../lib/document.js';
import { withPrimary } from '../../lib/experiment-form.js';
import type { KnownValues } from '../../lib/known-values.js';
import { furtherMetric, type Guardrail } from '../../lib/metric-form.js';
import { DecimalInput } from '../../parts/fields.js';
import { MetricFields } from './MetricFields.js';

type Props = {
  experiment: Experiment;
  known: KnownValues;
  isReadOnly: boolean;
  /** Why no metric but the guardrails can be changed. */
  fixed: string | undefined;
  problemWithin: (member: string) => string | undefined;
  onChange: (experiment: Experiment) => void;
};

/** What decides, what else is looked at, and what must not get worse. */
export function MetricsFields({ experiment, known, isReadOnly, fixed, problemWithin, onChange }: Props) {
  const { metrics } = experiment;
  const { primary, secondary, guardrails } = metrics;
  const set = (change: Partial<typeof metrics>) =>
    onChange({ ...experiment, metrics: { ...metrics, ...change } });
  return (
    <Stack gap="sm">
      <fieldset className="plain" disabled={fixed !== undefined}>
        <MetricFields
          label="The metric that decides"
          metric={primary}
          known={known}
          error={problemWithin('metrics/primary')}
          onChange={(metric) => onChange(withPrimary(experiment, metric))}
        />
        {secondary.map((metric, index) => (
          <Removable
            // biome-ignore lint/suspicious/noArrayIndexKey: metrics have no ids
            key={index}
            name={`metric ${index + 2}`}
            isReadOnly={isReadOnly}
            onRemove={() => set({ secondary: secondary.filter((_, at) => at !== index) })}
          >
            <MetricFields
              label={`Also looked at: metric ${index + 2}`}
              metric={metric}
              known={known}
              error={problemWithin(`metrics/secondary/${index}`)}
              onChange={(next) => set({ secondary: replacedAt(secondary, index, next) })}
            />
          </Removable>
        ))}
      </fieldset>
      {fixed !== undefined && <Reason text={fixed} />}
      {guardrails.map((guardrail, index) => (
        <Removable
          // biome-ignore lint/suspicious/noArrayIndexKey: guardrails have no ids
          key={index}
          name={`guardrail ${index + 1}`}
          isReadOnly={isReadOnly}
          onRemove={() => set({ guardrails: guardrails.filter((_, at) => at !== index) })}
        >
          <MetricFields
            label={`Must not get worse: guardrail ${index + 1}`}
            metric={guardrail.metric}
            known={known}
            error={problemWithin(`metrics/guardrails/${index}/metric`)}
            onChange={(metric) =>
              set({ guardrails: replacedAt(guardrails, index, { ...guardrail, metric }) })
            }
          />
          <GuardrailFields
            guardrail={guardrail}
            error={problemWithin(`metrics/guardrails/${index}/marginPercent`)}
            onChange={(next) => set({ guardrails: replacedAt(guardrails, index, next) })}
          />
        </Removable>
      ))}
      {!isReadOnly && (
        <Group gap="xs">
          <Button
            size="compact-xs"
            variant="default"
            disabled={fixed !== undefined || secondary.length >= MOST}
            onClick={() => set({ secondary: [...secondary, furtherMetric(metrics)] })}
          >
            Add metric
          </Button>
          <Button
            size="compact-xs"
            variant="default"
            disabled={guardrails.length >= MOST}
            onClick={() =>
              set({
                guardrails: [
                  ...guardrails,
                  { metric: furtherMetric(metrics), worse: 'lower', marginPercent: 5 },
                ],
              })
            }
          >
            Add guardrail
          </Button>
        </Group>
      )}
    </Stack>
  );
}

/** Of each kind. */
const MOST = 10;

export function Reason({ text }: { text: string }) {
  return (
    <Text size="xs" c="dimmed">
      {text}
    </Text>
  );
}

function Removable({
  name,
  isReadOnly,
  onRemove,
  children,
}: {
  name: string;
  isReadOnly: boolean;
  onRemove: () => void;
  children: ReactNode;
}) {
  return (
    <Stack gap={4} align="stretch">
      {children}
      {!isReadOnly && (
        <Group>
          <Button size="compact-xs" variant="subtle" color="red" onClick={onRemove}>
            Remove {name}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function GuardrailFields({
  guardrail,
  error,
  onChange,
}: {
  guardrail: Guardrail;
  error: string | undefined;
  onChange: (guardrail: Guardrail) => void;
}) {
  return (
    <Group gap="xs" align="flex-start">
      <NativeSelect
        label="Worse is"
        flex="1 1 7rem"
        data={['lower', 'higher']}
        value={guardrail.worse}
        onChange={({ currentTarget }) =>
          onChange({ ...guardrail, worse: currentTarget.value === 'higher' ? 'higher' : 'lower' })
        }
      />
      <DecimalInput
        label="By at most, in percent"
        flex="1 1 10rem"
        value={guardrail.marginPercent}
        error={error}
        onChange={(marginPercent) => onChange({ ...guardrail, marginPercent })}
      />
    </Group>
  );
}
