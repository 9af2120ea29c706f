import { Button, Menu } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useApiMutation, useStudioAndGame } from '../api/hooks.js';
import { useMe } from '../api/session.js';
import { forgetDraftsOf } from '../draft/kept-draft.js';
import { ProblemNote } from '../parts/states.js';

/** Who is signed in, their studios, and signing out. */
export function UserMenu() {
  const { data: me } = useMe();
  const { studio } = useStudioAndGame();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const signOut = useApiMutation('signOut', {
    onDone: () => {
      if (me?.account != null) forgetDraftsOf(localStorage, me.account.accountId);
      queries.clear();
      navigate({ to: '/sign-in' });
    },
  });
  if (me === undefined) return null;
  return (
    <>
      <ProblemNote problem={signOut.error} />
      <Menu position="top-start" width={230}>
        <Menu.Target>
          <Button variant="subtle" color="gray" justify="flex-start" fullWidth>
            {me.name}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>
            {me.account?.email ?? me.name} · {me.role}
          </Menu.Label>
          {me.studios
            .filter(({ tenantId }) => tenantId !== studio)
            .map(({ tenantId, name }) => (
              <Menu.Item key={tenantId} onClick={() => navigate({ to: '/', search: { studio: tenantId } })}>
                Go to {name}
              </Menu.Item>
            ))}
          <Menu.Divider />
          <Menu.Item onClick={() => signOut.mutate({ body: {} })}>Sign out</Menu.Item>
          <Menu.Item onClick={() => signOut.mutate({ body: { everywhere: true } })}>
            Sign out everywhere
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
