import { Alert, Button, List, Stack, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import type { Schemas } from '../../api/client.js';
import { useApiMutation, useGet, useRefresh, useStudioAndGame } from '../../api/hooks.js';
import { erasedInWords } from '../../lib/erasures.js';
import { countOf } from '../../lib/format.js';
import { SidePanel } from '../../parts/SidePanel.js';
import { Loaded, ProblemNote } from '../../parts/states.js';
import { CopyableId, Moment } from '../../parts/texts.js';

type Preview = Schemas['ErasurePreviewResponse']['data'];

/** Erases the player, after a look at what goes and what stays. */
export function ErasePlayer({ playerId }: { playerId: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpen(true)}>
        Erase…
      </Button>
      {isOpen && <ErasePanel playerId={playerId} onClose={() => setOpen(false)} />}
    </>
  );
}

function ErasePanel({ playerId, onClose }: { playerId: string; onClose: () => void }) {
  const { game } = useStudioAndGame();
  const refresh = useRefresh();
  const [typed, setTyped] = useState('');
  const params = { game, playerId };
  const preview = useGet('previewErasure', { params });
  const erase = useApiMutation('erasePlayer', {
    onDone: () => {
      refresh('previewErasure', 'listErasures', 'listSessions', 'listDevices');
    },
  });
  const isRequested = erase.isSuccess || (preview.data !== undefined && preview.data.erasure !== null);
  return (
    <SidePanel
      title="Erase the player"
      isOpen
      onClose={onClose}
      actions={
        !isRequested && (
          <Button
            color="red.9"
            disabled={typed.trim().toLowerCase() !== playerId}
            loading={erase.isPending}
            onClick={() => erase.mutate({ params })}
          >
            Erase this player
          </Button>
        )
      }
    >
      <ProblemNote problem={preview.error ?? erase.error} />
      <Loaded query={preview} height={200}>
        {(data) => (
          <>
            <Effects preview={data} />
            {isRequested ? (
              <Requested dueAt={(erase.data ?? data.erasure)?.dueAt} />
            ) : (
              <Stack gap="xs">
                <Text size="sm">
                  To confirm, type the id of the player: <CopyableId id={playerId} />
                </Text>
                <TextInput
                  label="Id of the player"
                  value={typed}
                  autoComplete="off"
                  onChange={({ currentTarget }) => setTyped(currentTarget.value)}
                />
              </Stack>
            )}
          </>
        )}
      </Loaded>
    </SidePanel>
  );
}

function Effects({ preview: { goes, taxRecords, waitDays } }: { preview: Preview }) {
  return (
    <>
      <div>
        <Title order={3} size="h5">
          What goes
        </Title>
        <List size="sm">
          {erasedInWords(goes).map((words) => (
            <List.Item key={words}>{words}</List.Item>
          ))}
          <List.Item>the row of the player, and everything else that names the player</List.Item>
          <List.Item>files of event exports that contain an event of the player</List.Item>
        </List>
      </div>
      <div>
        <Title order={3} size="h5">
          What stays
        </Title>
        <List size="sm">
          <List.Item>the numbers of the game by day, and its cohorts</List.Item>
          {taxRecords > 0 && (
            <List.Item>
              amount, currency and day of {countOf(taxRecords, 'purchase')}, with a hash of the order: tax
              records
            </List.Item>
          )}
          <List.Item>who did what in the audit log; the player is named by a hash there</List.Item>
          <List.Item>a receipt, under Settings, Erasures</List.Item>
        </List>
      </div>
      <Text size="sm">
        {waitDays === 0
          ? 'The player is erased at once. Nothing brings the player back.'
          : `The player is logged out at once, and erased in ${countOf(waitDays, 'day')}. Until then the request can be withdrawn.`}
      </Text>
    </>
  );
}

function Requested({ dueAt }: { dueAt: string | undefined }) {
  return (
    <Alert color="yellow" title="The erasure is requested">
      The player is logged out, and sends no events any more. It begins <Moment at={dueAt ?? null} />; the
      request is under Settings, Erasures.
    </Alert>
  );
}
