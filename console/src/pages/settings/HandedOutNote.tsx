import { Alert, Button, Group, List, Text } from '@mantine/core';
import { useState } from 'react';
import type { DataOf } from '../../api/client.js';
import { useApiMutation, useRefresh } from '../../api/hooks.js';
import { countOf } from '../../lib/format.js';
import { ProblemNote } from '../../parts/states.js';

export type HandedOut = Pick<DataOf<'removeMember'>, 'invitationsWithdrawn' | 'adminTokens'>;

/** After a member was removed or demoted: what ended with their rights, and which of their tokens still work. */
export function HandedOutNote({
  invitationsWithdrawn,
  adminTokens,
  onClose,
}: HandedOut & { onClose: () => void }) {
  const refresh = useRefresh();
  const [revoked, setRevoked] = useState<readonly string[]>([]);
  const revoke = useApiMutation('revokeAdminToken', {
    onDone: ({ tokenId }) => {
      setRevoked((before) => [...before, tokenId]);
      refresh('listAdminTokens');
    },
  });
  const working = adminTokens.filter(({ tokenId }) => !revoked.includes(tokenId));
  if (invitationsWithdrawn === 0 && adminTokens.length === 0) return null;
  return (
    <Alert
      color={working.length === 0 ? 'teal' : 'yellow'}
      variant="light"
      withCloseButton
      closeButtonLabel="Close"
      onClose={onClose}
      title={working.length === 0 ? 'Rights taken away' : 'Admin tokens that they made still work'}
    >
      {invitationsWithdrawn > 0 && (
        <Text size="sm">Withdrawn with it: {countOf(invitationsWithdrawn, 'open invitation')}.</Text>
      )}
      {working.length > 0 && (
        <>
          <Text size="sm">
            Whoever has the text of a token can go on using it. Revoke those that no program needs:
          </Text>
          <List size="sm" listStyleType="none">
            {working.map(({ tokenId, name, role }) => (
              <List.Item key={tokenId}>
                <Group gap="xs">
                  {name} ({role}, {tokenId})
                  <Button
                    size="compact-xs"
                    variant="subtle"
                    color="red"
                    aria-label={`Revoke ${name}`}
                    loading={revoke.isPending && revoke.variables?.params?.tokenId === tokenId}
                    onClick={() => revoke.mutate({ params: { tokenId } })}
                  >
                    Revoke
                  </Button>
                </Group>
              </List.Item>
            ))}
          </List>
        </>
      )}
      <ProblemNote problem={revoke.error} />
    </Alert>
  );
}
