import { Alert, Button, Fieldset, Group, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import type { DataOf } from '../../api/client.js';
import { useApiMutation, useGet, useRefresh, useStudioAndGame } from '../../api/hooks.js';
import { readServiceAccount } from '../../lib/service-account.js';
import { Loaded, ProblemNote } from '../../parts/states.js';

/** The service account by which the game asks Google about purchases. Its key goes in, and is never shown again. */
export function GoogleAccount() {
  const { game } = useStudioAndGame();
  const refresh = useRefresh();
  const found = useGet('getGoogleAccount', { params: { game } });
  const look = () => void refresh('getGoogleAccount');
  return (
    <Fieldset legend="Ask Google">
      <Stack gap="sm">
        <Text size="sm">
          With a service account the service looks purchases up, acknowledges them after they are stored, and
          reads voided purchases daily. Players never wait for Google.
        </Text>
        <Loaded query={found}>
          {(account) =>
            account === null ? <NewAccount onSaved={look} /> : <Account account={account} onRemoved={look} />
          }
        </Loaded>
      </Stack>
    </Fieldset>
  );
}

function NewAccount({ onSaved }: { onSaved: () => void }) {
  const { game } = useStudioAndGame();
  const [text, setText] = useState('');
  const account = readServiceAccount(text);
  const save = useApiMutation('saveGoogleAccount', { onDone: onSaved });
  return (
    <>
      <Textarea
        label="JSON key of the service account"
        description="The file that the Google Cloud console gives. It is stored sealed, and never shown again."
        placeholder='{"type":"service_account", …}'
        autosize
        minRows={2}
        maxRows={6}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        error={text !== '' && account === undefined ? 'This is no key of a service account.' : undefined}
      />
      <ProblemNote problem={save.error} />
      <Group>
        <Button
          variant="default"
          disabled={account === undefined}
          loading={save.isPending}
          onClick={() => account && save.mutate({ params: { game }, body: account })}
        >
          Save the account
        </Button>
      </Group>
    </>
  );
}

type Status = NonNullable<DataOf<'getGoogleAccount'>>;

function Account({ account, onRemoved }: { account: Status; onRemoved: () => void }) {
  const { game } = useStudioAndGame();
  const test = useApiMutation('testGoogleAccount');
  const remove = useApiMutation('deleteGoogleAccount', { onDone: onRemoved });
  const { email, waiting, lastError } = account;
  return (
    <>
      <Text size="sm">
        {email}; {waiting === 0 ? 'no purchase waits' : `${waiting} purchases wait`} for Google.
      </Text>
      {lastError !== null && (
        <Alert color="orange" title="Google could not be asked last time">
          {lastError}
        </Alert>
      )}
      {test.data !== undefined && (
        <Alert
          color={test.data.isWorking ? 'green' : 'red'}
          title={test.data.isWorking ? 'It works' : 'It does not work'}
        >
          {test.data.message}
        </Alert>
      )}
      <ProblemNote problem={test.error ?? remove.error} />
      <Group>
        <Button variant="default" loading={test.isPending} onClick={() => test.mutate({ params: { game } })}>
          Test the account
        </Button>
        <Button
          variant="default"
          color="red"
          loading={remove.isPending}
          onClick={() => remove.mutate({ params: { game } })}
        >
          Remove the account
        </Button>
      </Group>
    </>
  );
}
