import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useApiMutation, usePages, useRefresh, useStudioAndGame } from '../../api/hooks.js';
import { useRole } from '../../api/session.js';
import { countOf } from '../../lib/format.js';
import { DataTable, moreOf } from '../../parts/DataTable.js';
import { ProblemNote } from '../../parts/states.js';
import { CopyableId, Moment } from '../../parts/texts.js';

/** The devices and sessions of the player, which support can revoke. */
export function Devices({ playerId }: { playerId: string }) {
  const { game } = useStudioAndGame();
  const { isEditor } = useRole();
  const refresh = useRefresh();
  const [isSure, setSure] = useState(false);
  const params = { game, playerId };
  const sessions = usePages('listSessions', { params });
  const devices = usePages('listDevices', { params });
  const rows = sessions.data?.pages.flatMap((page) => page.sessions);
  const live = rows?.filter(({ isLive }) => isLive).length ?? 0;
  const revoke = useApiMutation('revokeSessions', {
    onDone: () => {
      setSure(false);
      refresh('listSessions');
    },
  });
  return (
    <section aria-label="Devices and sessions">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          Devices and sessions
        </Title>
        {isEditor && live > 0 && (
          <Button
            size="xs"
            variant={isSure ? 'filled' : 'default'}
            color="red.9"
            loading={revoke.isPending}
            onClick={() => (isSure ? revoke.mutate({ params, body: {} }) : setSure(true))}
          >
            {isSure ? `Yes, log the player out of ${countOf(live, 'session')}` : 'Revoke sessions'}
          </Button>
        )}
      </Group>
      <ProblemNote problem={sessions.error ?? devices.error ?? revoke.error} />
      <Stack gap="xs">
        {devices.data?.pages
          .flatMap((page) => page.devices)
          .map(({ deviceId, createdAt }) => (
            <Group key={deviceId} gap="xs">
              <CopyableId id={deviceId} />
              <Text size="xs" c="dimmed">
                first login <Moment at={createdAt} />
              </Text>
            </Group>
          ))}
        <DataTable
          label="Sessions"
          rows={rows}
          rowKey={(row) => row.sessionId}
          empty={
            <Text size="sm" c="dimmed">
              The player is not logged in.
            </Text>
          }
          more={moreOf(sessions)}
          columns={[
            { id: 'device', header: 'Device', cell: (row) => <CopyableId id={row.deviceId} isShort /> },
            { id: 'opened', header: 'Opened', cell: (row) => <Moment at={row.createdAt} /> },
            {
              id: 'ends',
              header: 'Ends',
              cell: (row) => (row.isLive ? <Moment at={row.expiresAt} /> : 'ended'),
            },
            { id: 'key', header: 'Key', cell: (row) => <span className="mono">{row.apiKey}</span> },
          ]}
        />
      </Stack>
    </section>
  );
}
