import { Alert, Anchor, Badge, Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { DataOf, Schemas } from '../../api/client.js';
import { useApiMutation, usePages, useStudioAndGame } from '../../api/hooks.js';
import { usePlayerUrl } from '../../api/player-url.js';
import { useMe } from '../../api/session.js';
import { sampleEvent } from '../../lib/sample-event.js';
import { DataTable } from '../../parts/DataTable.js';
import { SidePanel } from '../../parts/SidePanel.js';
import { EmptyState, ProblemNote } from '../../parts/states.js';
import { CopyableCode, CopyableId, Moment } from '../../parts/texts.js';

type Key = Schemas['ApiKey'];
type NewKey = Pick<DataOf<'createApiKey'>, 'apiKey' | 'apiSecret'>;
const COLOURS = { active: 'teal', ending: 'orange', expired: 'gray', revoked: 'gray' } as const;

/** The keys that the game's logins are signed with. A secret is shown once. */
export function Keys() {
  const { studio, game } = useStudioAndGame();
  const queries = useQueryClient();
  const [panel, setPanel] = useState<'new' | Key>();
  const [made, setMade] = useState<NewKey>();
  const pages = usePages(
    'listApiKeys',
    { params: { game } },
    {
      next: ({ nextCursor }) => nextCursor,
    },
  );
  const done = (key?: NewKey) => {
    setPanel(undefined);
    setMade(key);
    queries.invalidateQueries({ queryKey: [studio, 'listApiKeys'] });
  };
  return (
    <Stack gap="md">
      {made !== undefined && <Secret made={made} onClose={() => setMade(undefined)} />}
      <Group>
        <Button size="xs" onClick={() => setPanel('new')}>
          Create a key
        </Button>
      </Group>
      <ProblemNote problem={pages.error} onRetry={() => pages.refetch()} />
      <DataTable
        label="API keys"
        rows={pages.data?.pages.flatMap(({ keys }) => keys)}
        rowKey={({ apiKey }) => apiKey}
        more={{
          has: pages.hasNextPage,
          isLoading: pages.isFetchingNextPage,
          load: () => void pages.fetchNextPage(),
        }}
        empty={
          <EmptyState title="No key yet">
            <Text size="sm">
              The game signs its logins with a key. Create one, then log a player in with it.
            </Text>
          </EmptyState>
        }
        columns={[
          { id: 'key', header: 'Key', cell: ({ apiKey }) => <CopyableId id={apiKey} /> },
          { id: 'label', header: 'For', cell: ({ label }) => label || '–' },
          { id: 'environment', header: 'Environment', cell: ({ environment }) => environment },
          { id: 'created', header: 'Created', cell: ({ createdAt }) => <Moment at={createdAt} /> },
          {
            id: 'state',
            header: 'State',
            cell: ({ state, expiresAt }) => (
              <Group gap={4} wrap="nowrap">
                <Badge color={COLOURS[state]} variant="light">
                  {state}
                </Badge>
                {state === 'ending' && <Moment at={expiresAt} />}
              </Group>
            ),
          },
          {
            id: 'actions',
            header: '',
            cell: (key) =>
              key.state === 'active' && (
                <Button size="compact-xs" variant="default" onClick={() => setPanel(key)}>
                  Rotate or revoke
                </Button>
              ),
          },
        ]}
      />
      {panel === 'new' && <NewKeyPanel onDone={done} onClose={() => setPanel(undefined)} />}
      {panel !== undefined && panel !== 'new' && (
        <KeyPanel apiKey={panel.apiKey} onDone={done} onClose={() => setPanel(undefined)} />
      )}
    </Stack>
  );
}

function Secret({ made, onClose }: { made: NewKey; onClose: () => void }) {
  const { studio, game } = useStudioAndGame();
  const playerUrl = usePlayerUrl();
  return (
    <Alert
      color="teal"
      variant="light"
      title="The secret is shown now and never again"
      withCloseButton
      onClose={onClose}
    >
      <Stack gap="sm">
        <CopyableCode text={made.apiKey} label="Copy the key" />
        <CopyableCode text={made.apiSecret} label="Copy the secret" />
        {playerUrl !== undefined && (
          <>
            <Text size="sm">
              Log a player in with it and send an event, which then appears on the page{' '}
              <Anchor
                size="sm"
                renderRoot={(props) => (
                  <Link {...props} to="/$studio/$game/events" params={{ studio, game }} target="_blank" />
                )}
              >
                Events
              </Anchor>
              :
            </Text>
            <CopyableCode
              text={sampleEvent({ playerUrl, studio, apiKey: made.apiKey, apiSecret: made.apiSecret })}
              label="Copy the command"
            />
          </>
        )}
      </Stack>
    </Alert>
  );
}

function NewKeyPanel({ onDone, onClose }: { onDone: (key: NewKey) => void; onClose: () => void }) {
  const { game } = useStudioAndGame();
  const { data: me } = useMe();
  const [environment, setEnvironment] = useState<'production' | 'development'>(
    me?.environment ?? 'production',
  );
  const [label, setLabel] = useState('');
  const create = useApiMutation('createApiKey', { onDone });
  return (
    <SidePanel
      title="Create an API key"
      isOpen
      onClose={onClose}
      actions={
        <Button
          loading={create.isPending}
          onClick={() => create.mutate({ params: { game }, body: { environment, label } })}
        >
          Create the key
        </Button>
      }
    >
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

function KeyPanel({
  apiKey,
  onDone,
  onClose,
}: {
  apiKey: string;
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
        Makes a new key. The old one goes on for a while, so that builds in the stores keep working.
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
        No game can log players in with it any more. Players who are logged in stay so. This cannot be undone.
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
