import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useRole } from '../../api/session.js';

type Props = {
  /** A flag, a value or an experiment. */
  id: string;
  /** What stands before the reason. */
  before?: ReactNode;
  /** Why it is so for the player. */
  children: ReactNode;
  /** Changes it for this player: only editors may. */
  action: { label: string; onClick: () => void };
};

export function ReasonLine({ id, before, children, action }: Props) {
  const { isEditor } = useRole();
  return (
    <Group gap="xs" align="flex-start" role="group" aria-label={id}>
      {before}
      <Text size="xs" c="dimmed" flex="1 1 165px">
        {children}
      </Text>
      {isEditor && (
        <Button size="compact-xs" variant="default" miw="fit-content" onClick={action.onClick}>
          {action.label}
        </Button>
      )}
    </Group>
  );
}
