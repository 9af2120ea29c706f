import type { ReactNode } from 'react';
import type { Schemas } from '../../api/client.js';
import { useApiMutation, useRefresh, useStudioAndGame } from '../../api/hooks.js';
import { ExceptionPanel } from './ExceptionPanel.js';

type Props = {
  playerId: string;
  kind: Schemas['Pin']['kind'];
  target: string;
  isPinned: boolean;
  /** What is chosen in the form. */
  value: unknown;
  sentence: string;
  onClose: () => void;
  children: ReactNode;
};

/** Pins a value or a variant for this player, whatever the rules say, or takes the pin back. */
export function PinPanel({ playerId, kind, target, isPinned, value, onClose, ...rest }: Props) {
  const { game } = useStudioAndGame();
  const refresh = useRefresh();
  const onDone = () => {
    refresh('listPins', 'explain', 'getTimeline');
    onClose();
  };
  const set = useApiMutation('setPin', { onDone });
  const clear = useApiMutation('clearPin', { onDone });
  const params = { game, playerId, kind, target };
  return (
    <ExceptionPanel
      {...rest}
      title={`Pin ${target}`}
      setLabel={`Pin the ${kind}`}
      clearLabel="Leave it to the rules again"
      isSet={isPinned}
      set={set}
      clear={clear}
      onSet={(said) => set.mutate({ params, body: { value, ...said } })}
      onClear={() => clear.mutate({ params })}
      onClose={onClose}
    />
  );
}
