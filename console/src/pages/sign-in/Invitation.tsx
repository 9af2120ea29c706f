import { Button, Checkbox, PasswordInput, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { type ApiProblem, call, type DataOf, rememberCsrfToken } from '../../api/client.js';
import { useApiMutation } from '../../api/hooks.js';
import { CodeInput } from '../../parts/CodeInput.js';
import { ProblemNote } from '../../parts/states.js';
import { Moment } from '../../parts/texts.js';
import { SignInCard } from './Card.js';
import { useLinkToken } from './use-link-token.js';

/** Shows an invited person who invites them and to which role. They choose a password and are signed in. */
export function Invitation() {
  const { token = '' } = useLinkToken();
  const invitation = useQuery<DataOf<'showInvitation'>, ApiProblem>({
    queryKey: ['invitation', token],
    queryFn: () => call('showInvitation', { body: { token } }),
  });
  if (invitation.isError) {
    return (
      <SignInCard title="This invitation cannot be accepted">
        <ProblemNote problem={invitation.error} />
        <Text size="sm">
          Ask the owner who invited you for a new link. If you accepted it already, sign in.
        </Text>
        <Button variant="default" component="a" href="/console/sign-in">
          Sign in
        </Button>
      </SignInCard>
    );
  }
  if (invitation.data === undefined) return <Skeleton height={300} />;
  return <AcceptForm token={token} invitation={invitation.data} />;
}

function AcceptForm({ token, invitation }: { token: string; invitation: DataOf<'showInvitation'> }) {
  const { email, role, studio, invitedBy, expiresAt } = invitation;
  const navigate = useNavigate();
  const queries = useQueryClient();
  // The service does not say it: the link also shows it to the one who invites.
  const [hasAccount, setHasAccount] = useState(false);
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const accept = useApiMutation('acceptInvitation', {
    onDone: ({ csrfToken }) => {
      rememberCsrfToken(csrfToken);
      queries.clear();
      navigate({ to: '/', replace: true });
    },
  });

  function submit(event: FormEvent) {
    event.preventDefault();
    const given = { ...(hasAccount ? {} : { name }), ...(code === '' ? {} : { code: code.trim() }) };
    accept.mutate({ body: { token, password, ...given } });
  }

  return (
    <SignInCard title={`Join ${studio}`}>
      <Text size="sm">
        {invitedBy} invites {email} as {role}. The invitation ends <Moment at={expiresAt} />.
      </Text>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <Checkbox
            label="I have an account here already"
            checked={hasAccount}
            onChange={({ currentTarget }) => setHasAccount(currentTarget.checked)}
          />
          {!hasAccount && (
            <TextInput
              label="Your name"
              description="What the audit log calls you"
              autoComplete="name"
              required
              value={name}
              onChange={({ currentTarget }) => setName(currentTarget.value)}
            />
          )}
          <PasswordInput
            label={hasAccount ? 'Your password' : 'New password'}
            {...(hasAccount ? {} : { description: 'At least 12 characters. A whole sentence works well.' })}
            autoComplete={hasAccount ? 'current-password' : 'new-password'}
            required
            value={password}
            onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          />
          {accept.error?.code === 'second_factor_needed' && (
            <CodeInput isRecoveryAllowed value={code} onChange={setCode} />
          )}
          <ProblemNote problem={accept.error} />
          {accept.error?.code === 'sign_in_refused' && !hasAccount && (
            <Text size="sm">If this address has an account here, tick the box and use its password.</Text>
          )}
          <Button type="submit" loading={accept.isPending}>
            Join
          </Button>
        </Stack>
      </form>
    </SignInCard>
  );
}
