import { Checkbox, Group, NativeSelect } from '@mantine/core';
import type { Experiment } from '../../lib/document.js';
import { type ExperimentPlan, effectOf, effectSize, effectUnit } from '../../lib/experiment-form.js';
import { isShare } from '../../lib/metric-form.js';
import { DecimalInput, WholeNumberInput } from '../../parts/fields.js';

type Props = {
  experiment: Experiment;
  problemWithin: (member: string) => string | undefined;
  onChange: (plan: ExperimentPlan | null) => void;
};

/** How small an effect is worth having, and how many players and days it is given. */
export function PlanFields({ experiment: { plan, metrics }, problemWithin, onChange }: Props) {
  const isOfShare = isShare(metrics.primary);
  return (
    <>
      <Checkbox
        label="Planned"
        description="The intervals are narrowest at the planned size. The experiment does not end by itself."
        checked={plan !== null}
        onChange={({ currentTarget }) =>
          onChange(
            currentTarget.checked
              ? { smallestEffect: effectOf(isOfShare ? 'points' : 'percent', 1), players: 10_000, days: 28 }
              : null,
          )
        }
      />
      {plan !== null && (
        <>
          <Group grow align="flex-start">
            <DecimalInput
              label="Smallest change worth having"
              value={effectSize(plan)}
              error={problemWithin('plan/smallestEffect')}
              onChange={(size) => onChange({ ...plan, smallestEffect: effectOf(effectUnit(plan), size) })}
            />
            <NativeSelect
              label="In"
              data={[
                { value: 'percent', label: 'percent of the control' },
                ...(isOfShare ? [{ value: 'points', label: 'points of the share' }] : []),
              ]}
              value={effectUnit(plan)}
              onChange={({ currentTarget }) => {
                const unit = currentTarget.value === 'points' ? 'points' : 'percent';
                onChange({ ...plan, smallestEffect: effectOf(unit, effectSize(plan)) });
              }}
            />
          </Group>
          <Group grow align="flex-start">
            <WholeNumberInput
              label="Players, in all arms"
              value={plan.players}
              error={problemWithin('plan/players')}
              onChange={(players) => onChange({ ...plan, players: players ?? 0 })}
            />
            <WholeNumberInput
              label="Days"
              value={plan.days}
              error={problemWithin('plan/days')}
              onChange={(days) => onChange({ ...plan, days: days ?? 0 })}
            />
          </Group>
        </>
      )}
    </>
  );
}
