import { Button, Stack, Text, Textarea } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { ApiProblem } from '../../api/client.js';
import { MomentInput } from '../../parts/fields.js';
import { SidePanel } from '../../parts/SidePanel.js';
import { ProblemNote } from '../../parts/states.js';

type Step = { isPending: boolean; error: ApiProblem | null };

type Props = {
  title: string;
  /** What happens. */
  sentence: string;
  setLabel: string;
  clearLabel: string;
  /** Whether there is one that can be cleared. */
  isSet: boolean;
  set: Step;
  clear: Step;
  onSet: (said: { reason: string; until: string | null }) => void;
  onClear: () => void;
  onClose: () => void;
  /** The input of the value. */
  children: ReactNode;
};

/** Something that the studio sets for one player, whatever the rules say: with a reason, and an end. */
export function ExceptionPanel(props: Props) {
  const { title, sentence, setLabel, clearLabel, isSet, set, clear, onSet, onClear, onClose, children } =
    props;
  const [reason, setReason] = useState('');
  const [until, setUntil] = useState<string | null>(null);
  return (
    <SidePanel
      title={title}
      isOpen
      onClose={onClose}
      actions={
        <>
          {isSet && (
            <Button variant="default" loading={clear.isPending} onClick={onClear}>
              {clearLabel}
            </Button>
          )}
          <Button
            disabled={reason.trim() === ''}
            loading={set.isPending}
            onClick={() => onSet({ reason, until })}
          >
            {setLabel}
          </Button>
        </>
      }
    >
      <Stack gap="sm">
        <Text size="sm">{sentence}</Text>
        {children}
        <Textarea
          label="Reason"
          description="For the history of the player"
          required
          maxLength={1000}
          value={reason}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
        />
        <MomentInput label="Until" description="Empty: for ever" value={until} onChange={setUntil} />
        <ProblemNote problem={set.error ?? clear.error} />
      </Stack>
    </SidePanel>
  );
}
