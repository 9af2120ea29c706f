import { Button, Group, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Schemas } from '../../api/client.js';
import { useApiMutation, useGet } from '../../api/hooks.js';
import { countOf } from '../../lib/format.js';
import { CodeInput } from '../../parts/CodeInput.js';
import { QrCode } from '../../parts/QrCode.js';
import { ProblemNote } from '../../parts/states.js';
import { CopyableCode } from '../../parts/texts.js';
import { RecoveryCodes } from './RecoveryCodes.js';

type Account = Schemas['Account'];

/** Off, then a secret in the app, then a code of it, then the recovery codes: each step is one form. */
export function SecondFactor({ account }: { account: Account }) {
  const [newCodes, setNewCodes] = useState<readonly string[]>();
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        Second factor
      </Title>
      {newCodes !== undefined && <RecoveryCodes codes={newCodes} onKept={() => setNewCodes(undefined)} />}
      {account.hasSecondFactor ? (
        <TurnedOn account={account} onNewCodes={setNewCodes} />
      ) : (
        <TurnedOff account={account} onNewCodes={setNewCodes} />
      )}
    </Stack>
  );
}

type StateProps = { account: Account; onNewCodes: (codes: readonly string[] | undefined) => void };

function TurnedOff({ account, onNewCodes }: StateProps) {
  const queries = useQueryClient();
  const [code, setCode] = useState('');
  const start = useApiMutation('startSecondFactor');
  const confirm = useApiMutation('confirmSecondFactor', {
    onDone: ({ recoveryCodes }) => {
      onNewCodes(recoveryCodes);
      queries.invalidateQueries({ queryKey: ['me'] });
    },
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    confirm.mutate({ body: { code } });
  }
  if (start.data === undefined) {
    return (
      <>
        <Text size="sm">Off: the password alone is enough to sign in.</Text>
        <PasswordForm
          account={account}
          button="Turn it on"
          isPending={start.isPending}
          problem={start.error}
          onSubmit={(body) => start.mutate({ body })}
        />
      </>
    );
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text size="sm">Scan this with your authenticator app, then type the code that the app shows.</Text>
        <QrCode text={start.data.uri} label="QR code for your authenticator app" />
        <Text size="sm">No camera? Type this secret into the app. It is shown once.</Text>
        <CopyableCode text={start.data.secret} label="Copy the secret" />
        <CodeInput value={code} onChange={(typed) => setCode(typed.replace(/\D/g, ''))} />
        <ProblemNote problem={confirm.error} />
        <Group>
          <Button type="submit" loading={confirm.isPending}>
            Confirm
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function TurnedOn({ account, onNewCodes }: StateProps) {
  const queries = useQueryClient();
  const left = useGet('countRecoveryCodes');
  const [action, setAction] = useState<'renew' | 'end'>();
  const refresh = () => {
    setAction(undefined);
    queries.invalidateQueries();
  };
  const renew = useApiMutation('renewRecoveryCodes', {
    onDone: ({ recoveryCodes }) => {
      onNewCodes(recoveryCodes);
      refresh();
    },
  });
  const end = useApiMutation('endSecondFactor', {
    onDone: () => {
      onNewCodes(undefined);
      refresh();
    },
  });
  return (
    <>
      <Text size="sm">On: signing in needs a code of your authenticator app, or a recovery code.</Text>
      {left.data !== undefined && (
        <Text size="sm" {...(left.data.left < 3 ? { c: 'red', fw: 600 } : {})}>
          {countOf(left.data.left, 'recovery code')} left.
        </Text>
      )}
      {action === 'renew' && (
        <PasswordForm
          account={account}
          button="Replace my recovery codes"
          isPending={renew.isPending}
          problem={renew.error}
          onSubmit={(body) => renew.mutate({ body })}
          onCancel={() => setAction(undefined)}
        />
      )}
      {action === 'end' && (
        <PasswordForm
          account={account}
          button="Turn it off"
          isPending={end.isPending}
          problem={end.error}
          onSubmit={(body) => end.mutate({ body })}
          onCancel={() => setAction(undefined)}
        />
      )}
      {action === undefined && (
        <Group>
          <Button variant="default" onClick={() => setAction('renew')}>
            Make new recovery codes
          </Button>
          <Button color="red" variant="outline" onClick={() => setAction('end')}>
            Turn it off
          </Button>
        </Group>
      )}
    </>
  );
}

/** What changes the second factor needs the password, so that nobody does it at an unlocked computer. */
function PasswordForm({
  account,
  button,
  isPending,
  problem,
  onSubmit,
  onCancel,
}: {
  account: Account;
  button: string;
  isPending: boolean;
  problem: Error | null;
  onSubmit: (body: { currentPassword?: string }) => void;
  onCancel?: () => void;
}) {
  const [password, setPassword] = useState('');
  function submit(event: FormEvent) {
    event.preventDefault();
    onSubmit(account.hasPassword ? { currentPassword: password } : {});
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {account.hasPassword && (
          <PasswordInput
            label="Your password"
            autoComplete="current-password"
            required
            value={password}
            onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          />
        )}
        <ProblemNote problem={problem} />
        <Group>
          <Button type="submit" variant="default" loading={isPending}>
            {button}
          </Button>
          {onCancel && (
            <Button variant="subtle" onClick={onCancel}>
              Cancel
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}
