import { Alert, Badge, Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useApiMutation, usePages, useRefresh } from '../../api/hooks.js';
import { DataTable, moreOf } from '../../parts/DataTable.js';
import { WholeNumberInput } from '../../parts/fields.js';
import { SidePanel } from '../../parts/SidePanel.js';
import { EmptyState, ProblemNote } from '../../parts/states.js';
import { CopyableCode, Moment } from '../../parts/texts.js';
import { ROLES } from './Members.js';

/** Tokens for tools and scripts, which use the same admin API as this console. */
export function Tokens() {
  const refresh = useRefresh();
  const [isMaking, setMaking] = useState(false);
  const [ending, setEnding] = useState<string>();
  const pages = usePages('listAdminTokens');
  const onDone = () => {
    setEnding(undefined);
    refresh('listAdminTokens');
  };
  const revoke = useApiMutation('revokeAdminToken', { onDone });
  return (
    <Stack gap="xs">
      <Group>
        <Button size="xs" onClick={() => setMaking(true)}>
          Create a token
        </Button>
      </Group>
      <ProblemNote problem={pages.error ?? revoke.error} />
      <DataTable
        label="Admin tokens"
        rows={pages.data?.pages.flatMap(({ tokens }) => tokens)}
        rowKey={({ tokenId }) => tokenId}
        more={moreOf(pages)}
        empty={
          <EmptyState title="No tokens">
            <Text size="sm">
              A token lets a script use the admin API. <a href="/reference/">The reference</a> has every call.
            </Text>
          </EmptyState>
        }
        columns={[
          { id: 'name', header: 'Name', cell: ({ name }) => name },
          { id: 'role', header: 'Role', cell: ({ role }) => role },
          { id: 'created', header: 'Created', cell: ({ createdAt }) => <Moment at={createdAt} /> },
          { id: 'ends', header: 'Ends', cell: ({ expiresAt }) => <Moment at={expiresAt} /> },
          {
            id: 'state',
            header: 'State',
            cell: ({ state }) => (
              <Badge variant="light" color={state === 'active' ? 'teal' : 'gray'}>
                {state}
              </Badge>
            ),
          },
          {
            id: 'revoke',
            header: '',
            cell: ({ tokenId, state }) =>
              state === 'active' && (
                <Button
                  size="compact-xs"
                  variant="subtle"
                  color="red"
                  onClick={() =>
                    ending === tokenId ? revoke.mutate({ params: { tokenId } }) : setEnding(tokenId)
                  }
                >
                  {ending === tokenId ? 'Yes, revoke' : 'Revoke'}
                </Button>
              ),
          },
        ]}
      />
      {isMaking && <NewTokenPanel onDone={onDone} onClose={() => setMaking(false)} />}
    </Stack>
  );
}

function NewTokenPanel({ onDone, onClose }: { onDone: () => void; onClose: () => void }) {
  const [name, setName] = useState('');
  const [role, setRole] = useState<(typeof ROLES)[number]>('viewer');
  const [days, setDays] = useState<number | null>(90);
  const create = useApiMutation('createAdminToken', { onDone });
  return (
    <SidePanel
      title="Create an admin token"
      isOpen
      onClose={onClose}
      actions={
        create.data === undefined && (
          <Button
            loading={create.isPending}
            onClick={() =>
              create.mutate({ body: { name, role, ...(days === null ? {} : { expiresDays: days }) } })
            }
          >
            Create the token
          </Button>
        )
      }
    >
      <TextInput
        label="Name"
        description="What the audit log calls its holder"
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <NativeSelect
        label="Role"
        value={role}
        data={[...ROLES]}
        onChange={({ currentTarget }) =>
          setRole(ROLES.find((each) => each === currentTarget.value) ?? 'viewer')
        }
      />
      <WholeNumberInput
        label="Ends after days"
        description="Empty: when it is revoked"
        value={days}
        onChange={setDays}
      />
      <ProblemNote problem={create.error} />
      {create.data !== undefined && (
        <Alert color="teal" variant="light" title="The token is shown now and never again">
          <CopyableCode text={create.data.token} label="Copy the token" />
        </Alert>
      )}
    </SidePanel>
  );
}
