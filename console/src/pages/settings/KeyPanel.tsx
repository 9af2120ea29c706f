import { Button, Group, NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import type { Schemas } from '../../api/client.js';
import { useApiMutation, useStudioAndGame } from '../../api/hooks.js';
import { SidePanel } from '../../parts/SidePanel.js';
import { ProblemNote } from '../../parts/states.js';
import type { NewKey } from './NewKeyPanel.js';

type Key = Schemas['ApiKey'];

/** Rotates or revokes a key. */
export function KeyPanel({
  apiKey,
  kind,
  onDone,
  onClose,
}: {
  apiKey: string;
  kind: Key['kind'];
  onDone: (key?: NewKey) => void;
  onClose: () => void;
}) {
  const { game } = useStudioAndGame();
  const params = { game, apiKey };
  const [hours, setHours] = useState('72');
  const [isSure, setSure] = useState(false);
  const rotate = useApiMutation('rotateApiKey', { onDone });
  const revoke = useApiMutation('revokeApiKey', { onDone: () => onDone() });
  return (
    <SidePanel title={`Key ${apiKey}`} isOpen onClose={onClose}>
      <Text fw={600}>Rotate</Text>
      <Text size="sm">
        Makes a new key. The old one goes on for a while, so that{' '}
        {kind === 'client' ? 'builds in the stores' : 'servers that have it'} keep working.
      </Text>
      <NativeSelect
        label="The old key still works for"
        value={hours}
        data={[
          { value: '0', label: 'no time: it ends now' },
          { value: '24', label: '1 day' },
          { value: '72', label: '3 days' },
          { value: '720', label: '30 days' },
          { value: '2160', label: '90 days' },
        ]}
        onChange={({ currentTarget }) => setHours(currentTarget.value)}
      />
      <Group>
        <Button
          loading={rotate.isPending}
          onClick={() => rotate.mutate({ params, body: { overlapHours: Number(hours) } })}
        >
          Rotate the key
        </Button>
      </Group>
      <ProblemNote problem={rotate.error} />
      <Text fw={600} mt="md">
        Revoke
      </Text>
      <Text size="sm">
        {kind === 'client'
          ? 'No game can log players in with it any more. Players who are logged in stay so. This cannot be undone.'
          : 'No server can use it any more, from now on. This cannot be undone.'}
      </Text>
      <Group>
        <Button
          color="red.9"
          variant={isSure ? 'filled' : 'outline'}
          loading={revoke.isPending}
          onClick={() => (isSure ? revoke.mutate({ params }) : setSure(true))}
        >
          {isSure ? 'Yes, revoke the key' : 'Revoke the key'}
        </Button>
      </Group>
      <ProblemNote problem={revoke.error} />
    </SidePanel>
  );
}
