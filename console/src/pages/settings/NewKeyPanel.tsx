import { Button, Checkbox, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { DataOf, Schemas } from '../../api/client.js';
import { useApiMutation, useStudioAndGame } from '../../api/hooks.js';
import { useMe } from '../../api/session.js';
import { SidePanel } from '../../parts/SidePanel.js';
import { ProblemNote } from '../../parts/states.js';

type Key = Schemas['ApiKey'];
export type NewKey = Pick<DataOf<'createApiKey'>, 'apiKey' | 'apiSecret' | 'kind'>;

/** What a server key may do, in words. */
const SCOPES: readonly (readonly [Key['scopes'][number], string])[] = [
  ['events:write', 'Send events of players'],
  ['players:read', 'Read what players are told'],
  ['players:write', 'Attach devices, set age groups'],
  ['purchases:write', 'Report purchases as verified'],
];

export function NewKeyPanel({ onDone, onClose }: { onDone: (key: NewKey) => void; onClose: () => void }) {
  const { game } = useStudioAndGame();
  const { data: me } = useMe();
  const [environment, setEnvironment] = useState<'production' | 'development'>(
    me?.environment ?? 'production',
  );
  const [label, setLabel] = useState('');
  const [kind, setKind] = useState<Key['kind']>('client');
  const [scopes, setScopes] = useState<Key['scopes']>([]);
  const create = useApiMutation('createApiKey', { onDone });
  const chosen = kind === 'server' ? { scopes } : {};
  return (
    <SidePanel
      title="Create an API key"
      isOpen
      onClose={onClose}
      actions={
        <Button
          loading={create.isPending}
          disabled={kind === 'server' && scopes.length === 0}
          onClick={() => create.mutate({ params: { game }, body: { kind, environment, label, ...chosen } })}
        >
          Create the key
        </Button>
      }
    >
      <NativeSelect
        label="Kind"
        description="A game signs its logins with a client key; your own servers send a server key"
        value={kind}
        data={['client', 'server']}
        onChange={({ currentTarget }) => setKind(currentTarget.value === 'server' ? 'server' : 'client')}
      />
      {kind === 'server' && (
        <Checkbox.Group
          label="What it may do"
          value={scopes}
          onChange={(chosenScopes) => setScopes(chosenScopes as Key['scopes'])}
        >
          <Stack gap={4} mt={4}>
            {SCOPES.map(([scope, words]) => (
              <Checkbox key={scope} size="xs" value={scope} label={`${words} (${scope})`} />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
      <TextInput
        label="What it is for"
        placeholder="build 1.42"
        value={label}
        onChange={({ currentTarget }) => setLabel(currentTarget.value)}
      />
      <NativeSelect
        label="Environment"
        description="A development key works on installations for development only"
        value={environment}
        data={['production', 'development']}
        onChange={({ currentTarget }) =>
          setEnvironment(currentTarget.value === 'development' ? 'development' : 'production')
        }
      />
      <ProblemNote problem={create.error} />
    </SidePanel>
  );
}
