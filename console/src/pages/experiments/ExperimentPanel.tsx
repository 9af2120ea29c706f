import { Stack, Text, Textarea } from '@mantine/core';
import { useDraft } from '../../draft/draft-context.js';
import { type ConfigDocument, type Experiment, isSame } from '../../lib/document.js';
import { isDrawn } from '../../lib/experiment-form.js';
import { EntryPanel, type EntryProblem, problemWithinOf } from '../../parts/EntryPanel.js';
import { DecimalInput } from '../../parts/fields.js';
import { RuleEditor } from '../../rules/RuleEditor.js';
import { useKnownValues } from '../../rules/use-known-values.js';
import { LayerFields } from './LayerFields.js';
import { EventTypeInput } from './MetricFields.js';
import { MetricsFields, Reason } from './MetricsFields.js';
import { Plan } from './Plan.js';
import { PlanFields } from './PlanFields.js';
import { StateFields } from './StateFields.js';
import { VariantFields } from './VariantFields.js';

type Props = {
  experiment: Experiment;
  /** As it is in the published version. */
  published: Experiment | undefined;
  document: ConfigDocument;
  isReadOnly: boolean;
  problems: readonly EntryProblem[];
  onChange: (experiment: Experiment) => void;
  onRemove: () => void;
  onClose: () => void;
};

const FIXED = 'Fixed: players were drawn by it. “Draw all players anew” begins another run.';

/** An experiment of the draft: state, who, arms, metrics and plan. */
export function ExperimentPanel({ experiment, published, document, problems, onChange, ...rest }: Props) {
  const problemWithin = problemWithinOf(problems);
  const known = useKnownValues(document);
  const set = (change: Partial<Experiment>) => onChange({ ...experiment, ...change });
  const fixed = isDrawn(experiment, published) ? FIXED : undefined;
  const { layer, activation, ...others } = experiment;
  const fields = { experiment, isReadOnly: rest.isReadOnly, problemWithin };
  return (
    <EntryPanel
      {...rest}
      kind="Experiment"
      id={experiment.experimentId}
      idMember="experimentId"
      fixedId={fixed && 'Fixed: its report has this name'}
      name={experiment.name}
      problems={problems}
      removeLabel="Remove the experiment"
      isElsewhere={(member) => ['', 'layer', 'variants', 'metrics', 'plan'].includes(member)}
      onId={(experimentId) => set({ experimentId })}
      onName={(name) => set({ name })}
      beside={<PlanOfExperiment experiment={experiment} onChange={onChange} />}
    >
      <StateFields {...fields} published={published} document={document} onChange={onChange} />
      <Textarea
        label="Hypothesis"
        description="What you expect, and why"
        autosize
        value={experiment.hypothesis}
        error={problemWithin('hypothesis')}
        onChange={({ currentTarget }) => set({ hypothesis: currentTarget.value })}
      />
      <Text fw={600}>Arms</Text>
      <VariantFields {...fields} fixed={fixed} onChange={(variants) => set({ variants })} />
      <Text fw={600}>Who</Text>
      <RuleEditor
        label="Rule (CEL)"
        description="Empty: all players. Asked until a player is in"
        value={experiment.when ?? ''}
        isReadOnly={rest.isReadOnly}
        document={document}
        problems={problems.filter(({ member }) => member === 'when')}
        onChange={(rule) => set({ when: rule.trim() === '' ? null : rule })}
      />
      <DecimalInput
        label="Coverage, in percent"
        description="How many of these players may enter. Raising it moves nobody, lowering it throws nobody out."
        value={experiment.coveragePercent}
        error={problemWithin('coveragePercent')}
        onChange={(coveragePercent) => set({ coveragePercent })}
      />
      <fieldset className="plain" disabled={fixed !== undefined}>
        <Stack gap="sm">
          <LayerFields
            layer={layer}
            problemWithin={problemWithin}
            onChange={(next) =>
              onChange({
                ...others,
                ...(activation && { activation }),
                ...(next && { layer: next }),
              })
            }
          />
          <EventTypeInput
            label="Players count from their first event of this type"
            description="Empty: from the first response that depends on their arm"
            known={known}
            value={activation?.eventType ?? ''}
            error={problemWithin('activation')}
            onChange={(eventType) =>
              onChange({
                ...others,
                ...(layer && { layer }),
                ...(eventType !== '' && { activation: { eventType } }),
              })
            }
          />
        </Stack>
      </fieldset>
      {fixed !== undefined && <Reason text={fixed} />}
      <Text fw={600}>Metrics</Text>
      <MetricsFields {...fields} known={known} fixed={fixed} onChange={onChange} />
      <Text fw={600}>Plan</Text>
      <fieldset className="plain" disabled={fixed !== undefined}>
        <PlanFields {...fields} onChange={(plan) => set({ plan })} />
      </fieldset>
      {fixed !== undefined && <Reason text={fixed} />}
    </EntryPanel>
  );
}

/** The plan route knows what is saved. */
function PlanOfExperiment({ experiment, onChange }: Pick<Props, 'experiment' | 'onChange'>) {
  const { draft } = useDraft();
  const saved = draft?.document.experiments?.find(
    ({ experimentId }) => experimentId === experiment.experimentId,
  );
  if (saved === undefined) {
    return (
      <Plan
        title="What can this game measure?"
        note="With two arms of equal size, from what players of the last eight weeks did. Save the draft to see the figures of this experiment."
      />
    );
  }
  const of = isSame(saved, experiment) ? 'this experiment' : 'the draft as it was last saved';
  return (
    <Plan
      experimentId={saved.experimentId}
      title="How long would it take?"
      note={`The figures of ${of}, from what players of the last eight weeks did. The rule of who may enter is not taken into account.`}
      onTake={({ players, days }) => {
        const smallestEffect = experiment.plan?.smallestEffect ?? { percent: 10 };
        onChange({ ...experiment, plan: { smallestEffect, players, days } });
      }}
    />
  );
}
