import { Alert, Button, Group, NativeSelect, Stack, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import type { Schemas } from '../../api/client.js';
import { useApiMutation, usePages, useRefresh } from '../../api/hooks.js';
import { useMe } from '../../api/session.js';
import { DataTable, moreOf } from '../../parts/DataTable.js';
import { SidePanel } from '../../parts/SidePanel.js';
import { ProblemNote } from '../../parts/states.js';
import { CopyableCode, Moment } from '../../parts/texts.js';
import { type HandedOut, HandedOutNote } from './HandedOutNote.js';

type Role = Schemas['Member']['role'];
export const ROLES = ['viewer', 'editor', 'owner'] as const;
const toRole = (text: string): Role => ROLES.find((role) => role === text) ?? 'viewer';

/** Who may do what. People join by a link that an owner gives them. */
export function Members() {
  const { data: me } = useMe();
  const refresh = useRefresh();
  const [isInviting, setInviting] = useState(false);
  const [leaving, setLeaving] = useState<string>();
  const members = usePages('listMembers');
  const [handedOut, setHandedOut] = useState<HandedOut>();
  const onDone = (done: HandedOut) => {
    setLeaving(undefined);
    setHandedOut(done);
    refresh('listMembers', 'listInvitations');
  };
  const change = useApiMutation('changeRole', { onDone });
  const remove = useApiMutation('removeMember', { onDone });
  return (
    <Stack gap="lg">
      <Stack gap="xs">
        <Group>
          <Button size="xs" onClick={() => setInviting(true)}>
            Invite a member
          </Button>
        </Group>
        <ProblemNote problem={members.error ?? change.error ?? remove.error} />
        {handedOut !== undefined && <HandedOutNote {...handedOut} onClose={() => setHandedOut(undefined)} />}
        <DataTable
          label="Members"
          rows={members.data?.pages.flatMap((page) => page.members)}
          rowKey={({ accountId }) => accountId}
          empty={<Text c="dimmed">No members yet.</Text>}
          more={moreOf(members)}
          columns={[
            { id: 'name', header: 'Name', cell: ({ name }) => name },
            { id: 'email', header: 'Email', cell: ({ email }) => email },
            {
              id: 'role',
              header: 'Role',
              cell: ({ accountId, role, name }) => (
                <NativeSelect
                  size="xs"
                  aria-label={`Role of ${name}`}
                  value={role}
                  data={[...ROLES]}
                  disabled={change.isPending}
                  onChange={({ currentTarget }) =>
                    change.mutate({ params: { accountId }, body: { role: toRole(currentTarget.value) } })
                  }
                />
              ),
            },
            { id: 'joined', header: 'Joined', cell: ({ joinedAt }) => <Moment at={joinedAt} /> },
            {
              id: 'factor',
              header: 'Second factor',
              cell: ({ hasSecondFactor }) => (hasSecondFactor ? 'yes' : 'no'),
            },
            {
              id: 'remove',
              header: '',
              cell: ({ accountId }) =>
                accountId !== me?.account?.accountId && (
                  <Button
                    size="compact-xs"
                    variant="subtle"
                    color="red"
                    loading={remove.isPending && leaving === accountId}
                    onClick={() =>
                      leaving === accountId ? remove.mutate({ params: { accountId } }) : setLeaving(accountId)
                    }
                  >
                    {leaving === accountId ? 'Yes, remove' : 'Remove'}
                  </Button>
                ),
            },
          ]}
        />
      </Stack>
      <Invitations />
      {isInviting && <InvitePanel onClose={() => setInviting(false)} />}
    </Stack>
  );
}

function Invitations() {
  const refresh = useRefresh();
  const pages = usePages('listInvitations');
  const rows = pages.data?.pages.flatMap(({ invitations }) => invitations) ?? [];
  const revoke = useApiMutation('revokeInvitation', {
    onDone: () => refresh('listInvitations'),
  });
  if (rows.length === 0) return <ProblemNote problem={pages.error} />;
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        Invitations
      </Title>
      <ProblemNote problem={revoke.error} />
      <DataTable
        label="Invitations"
        rows={rows}
        rowKey={({ invitationId }) => invitationId}
        empty={null}
        more={moreOf(pages)}
        columns={[
          { id: 'email', header: 'Email', cell: ({ email }) => email },
          { id: 'role', header: 'Role', cell: ({ role }) => role },
          { id: 'by', header: 'By', cell: ({ invitedBy }) => invitedBy },
          { id: 'ends', header: 'Ends', cell: ({ expiresAt }) => <Moment at={expiresAt} /> },
          {
            id: 'revoke',
            header: '',
            cell: ({ invitationId }) => (
              <Button
                size="compact-xs"
                variant="subtle"
                color="red"
                onClick={() => revoke.mutate({ params: { invitation: invitationId } })}
              >
                Withdraw
              </Button>
            ),
          },
        ]}
      />
    </section>
  );
}

function InvitePanel({ onClose }: { onClose: () => void }) {
  const refresh = useRefresh();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const invite = useApiMutation('createInvitation', {
    onDone: () => refresh('listInvitations'),
  });
  return (
    <SidePanel
      title="Invite a member"
      isOpen
      onClose={onClose}
      actions={
        <Button loading={invite.isPending} onClick={() => invite.mutate({ body: { email, role } })}>
          Make the link
        </Button>
      }
    >
      <TextInput
        label="Email"
        type="email"
        value={email}
        onChange={({ currentTarget }) => setEmail(currentTarget.value)}
      />
      <NativeSelect
        label="Role"
        description="A viewer reads, an editor changes and publishes, an owner also decides on people and keys."
        value={role}
        data={[...ROLES]}
        onChange={({ currentTarget }) => setRole(toRole(currentTarget.value))}
      />
      <ProblemNote problem={invite.error} />
      {invite.data !== undefined && (
        <Alert color="teal" variant="light" title="Give this link to the person yourself: no mail is sent">
          <CopyableCode text={`${window.location.origin}${invite.data.path}`} label="Copy the link" />
          <Text size="sm">
            It works once, until <Moment at={invite.data.invitation.expiresAt} isExact />, and is not shown
            again.
          </Text>
        </Alert>
      )}
    </SidePanel>
  );
}
