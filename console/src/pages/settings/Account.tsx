import { Button, Group, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Schemas } from '../../api/client.js';
import { useApiMutation } from '../../api/hooks.js';
import { useMe } from '../../api/session.js';
import { countOf } from '../../lib/format.js';
import { ProblemNote } from '../../parts/states.js';
import { CopyableCode } from '../../parts/texts.js';
import { OwnSessions } from './OwnSessions.js';

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
            value={current}
            onChange={({ currentTarget }) => setCurrent(currentTarget.value)}
          />
        )}
        <PasswordInput
          label="New password"
          description="At least 12 characters. A whole sentence works well. All your other sessions end."
          autoComplete="new-password"
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

function SecondFactor({ account }: { account: Schemas['Account'] }) {
  const queries = useQueryClient();
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const onDone = () => queries.invalidateQueries({ queryKey: ['me'] });
  const start = useApiMutation('startSecondFactor');
  const confirm = useApiMutation('confirmSecondFactor', { onDone });
  const end = useApiMutation('endSecondFactor', { onDone });
  const given = account.hasPassword ? { currentPassword: password } : {};
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        Second factor
      </Title>
      <Text size="sm">
        {account.hasSecondFactor
          ? 'On: signing in needs a code of your authenticator app.'
          : 'Off: the password alone is enough to sign in.'}
      </Text>
      {account.hasPassword && (
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
        />
      )}
      <ProblemNote problem={start.error ?? confirm.error ?? end.error} />
      {account.hasSecondFactor ? (
        <Group>
          <Button
            color="red"
            variant="outline"
            loading={end.isPending}
            onClick={() => end.mutate({ body: given })}
          >
            Turn it off
          </Button>
        </Group>
      ) : start.data === undefined ? (
        <Group>
          <Button variant="default" loading={start.isPending} onClick={() => start.mutate({ body: given })}>
            Turn it on
          </Button>
        </Group>
      ) : (
        <>
          <Text size="sm">
            Type this into your authenticator app, then a code that it shows. It is shown once.
          </Text>
          <CopyableCode text={start.data.secret} label="Copy the secret" />
          <TextInput
            label="Code"
            inputMode="numeric"
            maxLength={6}
            value={code}
            onChange={({ currentTarget }) => setCode(currentTarget.value)}
          />
          <Group>
            <Button loading={confirm.isPending} onClick={() => confirm.mutate({ body: { code } })}>
              Confirm
            </Button>
          </Group>
        </>
      )}
    </Stack>
  );
}
