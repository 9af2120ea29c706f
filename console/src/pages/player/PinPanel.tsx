import { Button, Stack, Text, Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../api/client.js';
import { useApiMutation, useStudioAndGame } from '../../api/hooks.js';
import type { GameValue } from '../../lib/document.js';
import { MomentInput } from '../../parts/fields.js';
import { SidePanel } from '../../parts/SidePanel.js';
import { ProblemNote } from '../../parts/states.js';
import { ValueInput } from '../../parts/ValueInput.js';

/** Pins a value for this player, whatever its rules say, or takes the pin back. */
export function PinPanel({
  playerId,
  target,
  current,
  shown,
  onClose,
}: {
  playerId: string;
  target: string;
  current: Schemas['Pin'] | undefined;
  /** What the player gets now. */
  shown: unknown;
  onClose: () => void;
}) {
  const { studio, game } = useStudioAndGame();
  const queries = useQueryClient();
  const [value, setValue] = useState(current?.value ?? shown);
  const [reason, setReason] = useState('');
  const [until, setUntil] = useState<string | null>(null);
  const onDone = () => {
    for (const id of ['listPins', 'explain', 'getTimeline']) {
      queries.invalidateQueries({ queryKey: [studio, id] });
    }
    onClose();
  };
  const set = useApiMutation('setPin', { onDone });
  const clear = useApiMutation('clearPin', { onDone });
  const params = { game, playerId, kind: 'value', target };
  return (
    <SidePanel
      title={`Pin ${target}`}
      isOpen
      onClose={onClose}
      actions={
        <>
          {current !== undefined && (
            <Button variant="default" loading={clear.isPending} onClick={() => clear.mutate({ params })}>
              Leave it to the rules again
            </Button>
          )}
          <Button
            disabled={reason.trim() === ''}
            loading={set.isPending}
            onClick={() => set.mutate({ params, body: { value, reason, until } })}
          >
            Pin the value
          </Button>
        </>
      }
    >
      <Stack gap="sm">
        <Text size="sm">
          The player gets this value with the next request, whatever the rules say. Pins are for test devices.
        </Text>
        <ValueInput label="Value" type={typeOf(shown)} value={value} error={undefined} onChange={setValue} />
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

/** By what the player gets now. The service checks the bounds of what is published. */
function typeOf(shown: unknown): GameValue['type'] {
  const kind = typeof shown;
  if (kind === 'boolean' || kind === 'number' || kind === 'string') return kind;
  return { kind: 'json', schema: true };
}
