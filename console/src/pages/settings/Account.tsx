import { Button, Group, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Schemas } from '../../api/client.js';
import { useApiMutation } from '../../api/hooks.js';
import { useMe } from '../../api/session.js';
import { countOf } from '../../lib/format.js';
import { ProblemNote } from '../../parts/states.js';
import { OwnSessions } from './OwnSessions.js';
import { SecondFactor } from './SecondFactor.js';

/** Password, second factor and sessions of the signed-in person. */
export function Account() {
  const { data: me } = useMe();
  if (me?.account == null) return <Text>An admin token has no account.</Text>;
  return (
    <Stack gap="xl">
      <Stack gap="xl" maw={480}>
        <Text size="sm">
          {me.account.name}, {me.account.email}
        </Text>
        <Password account={me.account} />
        <SecondFactor account={me.account} />
      </Stack>
      <OwnSessions />
    </Stack>
  );
}

function Password({ account }: { account: Schemas['Account'] }) {
  const queries = useQueryClient();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const change = useApiMutation('changePassword', {
    onDone: () => {
      setCurrent('');
      setNext('');
      queries.invalidateQueries({ queryKey: ['me'] });
    },
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    change.mutate({
      body: { newPassword: next, ...(account.hasPassword ? { currentPassword: current } : {}) },
    });
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {account.hasPassword ? 'Change your password' : 'Choose a password'}
        </Title>
        {!account.hasPassword && (
          <Text size="sm">You came by a link. With a password you can sign in again without one.</Text>
        )}
        {account.hasPassword && (
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            required
            value={current}
            onChange={({ currentTarget }) => setCurrent(currentTarget.value)}
          />
        )}
        <PasswordInput
          label="New password"
          description="At least 12 characters. A whole sentence works well. All your other sessions end."
          autoComplete="new-password"
          required
          value={next}
          onChange={({ currentTarget }) => setNext(currentTarget.value)}
        />
        <ProblemNote problem={change.error} />
        <Group>
          <Button type="submit" loading={change.isPending}>
            Save the password
          </Button>
          {change.data && (
            <Text size="sm">Saved. {countOf(change.data.sessionsEnded, 'other session')} ended.</Text>
          )}
        </Group>
      </Stack>
    </form>
  );
}
