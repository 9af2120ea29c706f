import { Button, Loader, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { rememberCsrfToken } from '../../api/client.js';
import { useApiMutation } from '../../api/hooks.js';
import { CodeInput } from '../../parts/CodeInput.js';
import { ProblemNote } from '../../parts/states.js';
import { CopyableCode } from '../../parts/texts.js';
import { SignInCard } from './Card.js';
import { useLinkToken } from './use-link-token.js';

const route = getRouteApi('/sign-in');

/** By email and password, or by a link that works once. */
export function SignIn() {
  const { token, forget } = useLinkToken();
  return token === undefined ? <PasswordForm /> : <ByLink key={token} token={token} onGiveUp={forget} />;
}

/** Goes on to the page that asked for the sign-in. Takes addresses of the console only: a link must not lead elsewhere. */
function useGoOn(): (response: { csrfToken: string }) => void {
  const { next } = route.useSearch();
  const navigate = useNavigate();
  const queries = useQueryClient();
  return ({ csrfToken }) => {
    rememberCsrfToken(csrfToken);
    queries.clear();
    if (next?.startsWith('/console/')) window.location.assign(next);
    else navigate({ to: '/', replace: true });
  };
}

function ByLink({ token, onGiveUp }: { token: string; onGiveUp: () => void }) {
  const goOn = useGoOn();
  const signIn = useApiMutation('signInByLink', { onDone: goOn });
  const isSent = useRef(false);
  useEffect(() => {
    // Sent once: the link works only once, and React runs effects twice in development.
    if (isSent.current) return;
    isSent.current = true;
    signIn.mutate({ body: { token } });
  }, [signIn, token]);
  if (!signIn.isError) {
    return (
      <SignInCard title="Signing you in">
        <Loader role="status" aria-label="Loading" />
      </SignInCard>
    );
  }
  return (
    <SignInCard title="This link does not sign you in">
      <ProblemNote problem={signIn.error} />
      <Text size="sm">A link works once, and for a short time. A new one is made on the server:</Text>
      <CopyableCode text="npx savepoint admin create --email you@studio.example --tenant your-studio --role owner" />
      <Button variant="default" onClick={onGiveUp}>
        Sign in with a password
      </Button>
    </SignInCard>
  );
}

function PasswordForm() {
  const goOn = useGoOn();
  const signIn = useApiMutation('signIn', { onDone: goOn });
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  // The code is asked for once the password was right. The field then stays, also after the next mistake.
  const [needsCode, setNeedsCode] = useState(false);
  const isCodeMissing = signIn.error?.code === 'second_factor_needed';
  if (isCodeMissing && !needsCode) setNeedsCode(true);

  function submit(event: FormEvent) {
    event.preventDefault();
    signIn.mutate({ body: { email, password, ...(needsCode && code !== '' ? { code: code.trim() } : {}) } });
  }

  return (
    <SignInCard title="Sign in">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <TextInput
            label="Email"
            type="email"
            autoComplete="username"
            required
            value={email}
            onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            value={password}
            onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          />
          {needsCode && <CodeInput isRecoveryAllowed value={code} onChange={setCode} />}
          {!(isCodeMissing && code === '') && <ProblemNote problem={signIn.error} />}
          <Button type="submit" loading={signIn.isPending}>
            Sign in
          </Button>
        </Stack>
      </form>
      <Text size="xs" c="dimmed">
        No account yet? An owner of your studio invites you. The first owner is made on the server with{' '}
        <span className="mono">npx savepoint admin create</span>.
      </Text>
    </SignInCard>
  );
}
