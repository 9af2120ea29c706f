import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import type { ConfigDocument, Experiment } from '../../lib/document.js';
import { drawnAnew, isRead, stateInWords } from '../../lib/experiment-form.js';

type Props = {
  experiment: Experiment;
  published: Experiment | undefined;
  document: ConfigDocument;
  isReadOnly: boolean;
  problemWithin: (member: string) => string | undefined;
  onChange: (experiment: Experiment) => void;
};

/** What state the experiment is in, and the way to the next one. Nothing happens before the draft is published. */
export function StateFields({ experiment, published, document, isReadOnly, problemWithin, onChange }: Props) {
  const { sentence, steps } = stateInWords(experiment, published);
  const { experimentId, state, winner, variants, seed } = experiment;
  const problem = problemWithin('seed') ?? problemWithin('state');
  return (
    <Stack gap="xs" role="group" aria-label="State">
      <Text size="sm">{sentence}</Text>
      {/* One that is only planned is often written before the rule that reads it. */}
      {(state === 'planned' || state === 'running') && !isRead(document, experimentId) && (
        <Text size="sm" c={state === 'planned' ? 'dimmed' : 'orange'} role="status">
          Nothing reads it{state === 'planned' ? ' yet' : ''}: no rule asks for{' '}
          <span className="mono">experiment("{experimentId}")</span>, so nobody can be exposed. Write it in
          the rule of a flag, segment, value or offer.
        </Text>
      )}
      {state === 'decided' && (
        <NativeSelect
          label="Winner"
          data={variants.map(({ variantId, name }) => ({ value: variantId, label: `${variantId} ${name}` }))}
          value={winner ?? ''}
          error={problemWithin('winner')}
          onChange={({ currentTarget }) => onChange({ ...experiment, winner: currentTarget.value })}
        />
      )}
      {!isReadOnly && (
        <Group gap="xs">
          {steps.map(({ label, next }) => (
            <Button key={label} size="xs" variant="default" onClick={() => onChange(next)}>
              {label}
            </Button>
          ))}
          {published !== undefined && published.state !== 'planned' && published.seed === seed && (
            <Button size="xs" variant="default" onClick={() => onChange(drawnAnew(experiment))}>
              Draw all players anew
            </Button>
          )}
        </Group>
      )}
      {problem !== undefined && (
        <Text size="sm" c="red" role="alert">
          {problem}
        </Text>
      )}
    </Stack>
  );
}
