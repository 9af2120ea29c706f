import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import type { Schemas } from '../../api/client.js';
import { useApiMutation, useRefresh, useStudioAndGame } from '../../api/hooks.js';
import { ExceptionPanel } from './ExceptionPanel.js';

type Props = {
  playerId: string;
  flagId: string;
  current: Schemas['Override'] | undefined;
  onClose: () => void;
};

/** Overrides the rule of a flag for this player, or clears the override. */
export function OverridePanel({ playerId, flagId, current, onClose }: Props) {
  const { game } = useStudioAndGame();
  const refresh = useRefresh();
  const [value, setValue] = useState(current?.value ?? true);
  const onDone = () => {
    refresh('getPlayer', 'listOverrides', 'explain', 'getTimeline');
    onClose();
  };
  const set = useApiMutation('setOverride', { onDone });
  const clear = useApiMutation('clearOverride', { onDone });
  const params = { game, playerId, flagId };
  return (
    <ExceptionPanel
      title={`Override ${flagId}`}
      sentence="The player gets the flag with the next request."
      setLabel="Set the flag"
      clearLabel="Leave it to the rule again"
      isSet={current !== undefined}
      set={set}
      clear={clear}
      onSet={(said) => set.mutate({ params, body: { value, ...said } })}
      onClear={() => clear.mutate({ params })}
      onClose={onClose}
    >
      <NativeSelect
        label="Value"
        value={value ? 'yes' : 'no'}
        data={['yes', 'no']}
        onChange={({ currentTarget }) => setValue(currentTarget.value === 'yes')}
      />
    </ExceptionPanel>
  );
}
