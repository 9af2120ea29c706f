import { Button, Stack, Text, Textarea } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../../api/client.js';
import { useApiMutation, useRefresh, useStudioAndGame } from '../../api/hooks.js';
import { useRole } from '../../api/session.js';
import { indented, parseJson } from '../../lib/json-text.js';
import { shortId } from '../../lib/short-id.js';
import { SidePanel } from '../../parts/SidePanel.js';
import { ProblemNote } from '../../parts/states.js';
import { Moment } from '../../parts/texts.js';
import { DeleteFailed } from './DeleteFailed.js';

/** One refused event: what was sent, what is wrong with it, and the corrected one to replay. */
export function FailedEventPanel({ entry, onClose }: { entry: Schemas['FailedEvent']; onClose: () => void }) {
  const { studio, game } = useStudioAndGame();
  const { isEditor } = useRole();
  const refresh = useRefresh();
  const [text, setText] = useState(() => readable(entry.raw));
  const parsed = parseJson(text);
  const replay = useApiMutation('replayFailedEvent', {
    onDone: () => {
      refresh('listFailedEventGroups', 'listFailedEvents', 'getTimeline', 'getPlayer');
      onClose();
    },
  });
  return (
    <SidePanel
      title={`${entry.eventType ?? 'Event'}: ${entry.reason}`}
      isOpen
      onClose={onClose}
      actions={
        isEditor && (
          <>
            <DeleteFailed entry={entry} onDone={onClose} />
            <Button
              disabled={parsed === undefined}
              loading={replay.isPending}
              onClick={() => replay.mutate({ params: { game, id: entry.id }, body: { event: parsed } })}
            >
              Replay this event
            </Button>
          </>
        )
      }
    >
      <Stack gap="sm">
        <Text size="sm">
          {entry.message} {entry.path !== '' && <span className="mono">{entry.path}</span>}
        </Text>
        <Text size="sm" c="dimmed">
          Received <Moment at={entry.receivedAt} /> from{' '}
          <Link to="/$studio/$game/players/$playerId" params={{ studio, game, playerId: entry.playerId }}>
            player {shortId(entry.playerId)}
          </Link>
          {entry.clientBuild === null ? '' : `, build ${entry.clientBuild}`}
        </Text>
        {entry.isCut && (
          <Text size="sm">Only the beginning was kept: complete the event before you replay it.</Text>
        )}
        <Textarea
          label="The event"
          autosize
          minRows={8}
          maxRows={24}
          spellCheck={false}
          readOnly={!isEditor}
          classNames={{ input: 'mono' }}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          error={parsed === undefined ? 'This is not valid JSON.' : undefined}
        />
        <ProblemNote problem={replay.error} />
      </Stack>
    </SidePanel>
  );
}

/** Text that is not JSON stays as it was sent. */
function readable(raw: string): string {
  const parsed = parseJson(raw);
  return parsed === undefined ? raw : indented(parsed);
}
