import { Alert, Anchor, Badge, Button, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../../api/client.js';
import { usePages, useRefresh, useStudioAndGame } from '../../api/hooks.js';
import { usePlayerUrl } from '../../api/player-url.js';
import { sampleEvent } from '../../lib/sample-event.js';
import { DataTable, moreOf } from '../../parts/DataTable.js';
import { EmptyState, ProblemNote } from '../../parts/states.js';
import { CopyableCode, CopyableId, Moment } from '../../parts/texts.js';
import { KeyPanel } from './KeyPanel.js';
import { type NewKey, NewKeyPanel } from './NewKeyPanel.js';

type Key = Schemas['ApiKey'];
const COLOURS = { active: 'teal', ending: 'orange', expired: 'gray', revoked: 'gray' } as const;

/** The keys that the game's logins are signed with, and those of the studio's own servers. A secret is shown once. */
export function Keys() {
  const { game } = useStudioAndGame();
  const refresh = useRefresh();
  const [panel, setPanel] = useState<'new' | Key>();
  const [made, setMade] = useState<NewKey>();
  const pages = usePages('listApiKeys', { params: { game } });
  const done = (key?: NewKey) => {
    setPanel(undefined);
    setMade(key);
    refresh('listApiKeys');
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
        more={moreOf(pages)}
        empty={
          <EmptyState title="No key yet">
            <Text size="sm">
              The game signs its logins with a client key, and your own servers send a server key. Create one,
              then log a player in with it.
            </Text>
          </EmptyState>
        }
        columns={[
          { id: 'key', header: 'Key', cell: ({ apiKey }) => <CopyableId id={apiKey} /> },
          { id: 'kind', header: 'Kind', cell: (key) => <KindOfKey apiKey={key} /> },
          { id: 'label', header: 'For', cell: ({ label }) => label || '–' },
          { id: 'environment', header: 'Environment', cell: ({ environment }) => environment },
          { id: 'created', header: 'Created', cell: ({ createdAt }) => <Moment at={createdAt} /> },
          {
            id: 'state',
            header: 'State',
            cell: ({ state, expiresAt }) => (
              <Group gap={4} wrap="nowrap">
                <Badge color={COLOURS[state]} variant="light" miw="max-content">
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
        <KeyPanel apiKey={panel.apiKey} kind={panel.kind} onDone={done} onClose={() => setPanel(undefined)} />
      )}
    </Stack>
  );
}

/** What a server key may do, and when it was last used. */
function KindOfKey({ apiKey: { kind, scopes, lastUsedAt, lastUsedFrom } }: { apiKey: Key }) {
  if (kind === 'client') return kind;
  return (
    <>
      {kind}: {scopes.join(', ')}
      <Text size="xs" c="dimmed">
        {lastUsedAt === null ? (
          'never used'
        ) : (
          <>
            last used <Moment at={lastUsedAt} /> from {lastUsedFrom}
          </>
        )}
      </Text>
    </>
  );
}

function Secret({ made, onClose }: { made: NewKey; onClose: () => void }) {
  const { studio, game } = useStudioAndGame();
  const playerUrl = usePlayerUrl();
  const isClient = made.kind === 'client';
  return (
    <Alert
      color="teal"
      variant="light"
      title="The secret is shown now and never again"
      withCloseButton
      onClose={onClose}
    >
      <Stack gap="sm">
        {isClient && <CopyableCode text={made.apiKey} label="Copy the key" />}
        <CopyableCode text={made.apiSecret} label={isClient ? 'Copy the secret' : 'Copy the server key'} />
        {!isClient && (
          <Text size="sm">
            Your servers send it as <code>Authorization: Bearer …</code>. Keep it out of games and pages:
            whoever has it can act for every player.
          </Text>
        )}
        {isClient && playerUrl !== undefined && (
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
