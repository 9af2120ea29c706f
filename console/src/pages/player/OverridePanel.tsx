import { Button, NativeSelect, Stack, Text, Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../api/client.js';
import { useApiMutation, useStudioAndGame } from '../../api/hooks.js';
import { MomentInput } from '../../parts/fields.js';
import { SidePanel } from '../../parts/SidePanel.js';
import { ProblemNote } from '../../parts/states.js';

/** Overrides the rule of a flag for this player, or clears the override. */
export function OverridePanel({
  playerId,
  flagId,
  standing,
  onClose,
}: {
  playerId: string;
  flagId: string;
  standing: Schemas['Override'] | undefined;
  onClose: () => void;
}) {
  const { studio, game } = useStudioAndGame();
  const queries = useQueryClient();
  const [value, setValue] = useState(standing?.value ?? true);
  const [reason, setReason] = useState('');
  const [until, setUntil] = useState<string | null>(null);
  const onDone = () => {
    for (const id of ['getPlayer', 'listOverrides', 'explain', 'getTimeline']) {
      queries.invalidateQueries({ queryKey: [studio, id] });
    }
    onClose();
  };
  const set = useApiMutation('setOverride', { onDone });
  const clear = useApiMutation('clearOverride', { onDone });
  const params = { game, playerId, flagId };
  return (
    <SidePanel
      title={`Override ${flagId}`}
      isOpen
      onClose={onClose}
      actions={
        <>
          {standing !== undefined && (
            <Button variant="default" loading={clear.isPending} onClick={() => clear.mutate({ params })}>
              Leave it to the rule again
            </Button>
          )}
          <Button
            disabled={reason.trim() === ''}
            loading={set.isPending}
            onClick={() => set.mutate({ params, body: { value, reason, until } })}
          >
            Set the flag
          </Button>
        </>
      }
    >
      <Stack gap="sm">
        <Text size="sm">The player gets the flag with the next request.</Text>
        <NativeSelect
          label="Value"
          value={value ? 'yes' : 'no'}
          data={['yes', 'no']}
          onChange={({ currentTarget }) => setValue(currentTarget.value === 'yes')}
        />
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
