import { Anchor, Badge, Button, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../../api/client.js';
import { usePages, useStudioAndGame } from '../../api/hooks.js';
import { useRole } from '../../api/session.js';
import { countOf } from '../../lib/format.js';
import { DataTable, moreOf } from '../../parts/DataTable.js';
import { NewGame } from '../../parts/NewGame.js';
import { SidePanel } from '../../parts/SidePanel.js';
import { EmptyState, ProblemNote } from '../../parts/states.js';
import { CopyableId } from '../../parts/texts.js';

/** All games of the studio. Owners create another one here. */
export function Games() {
  const { studio } = useStudioAndGame();
  const { isOwner } = useRole();
  const [isOpen, setOpen] = useState(false);
  const pages = usePages('listGames');
  return (
    <Stack gap="md">
      <Text size="sm">Each game has players, keys and a store of its own. Members belong to the studio.</Text>
      {isOwner && (
        <Group>
          <Button size="xs" onClick={() => setOpen(true)}>
            Create a game
          </Button>
        </Group>
      )}
      <ProblemNote problem={pages.error} onRetry={() => pages.refetch()} />
      <DataTable
        label="Games"
        rows={pages.data?.pages.flatMap(({ games }) => games)}
        rowKey={({ gameId }) => gameId}
        more={moreOf(pages)}
        empty={
          <EmptyState title="No game yet">
            <Text size="sm">
              {isOwner
                ? 'Create one. You then create a key for it, and watch its first event arrive.'
                : 'Ask an owner of the studio to create a game.'}
            </Text>
          </EmptyState>
        }
        columns={[
          { id: 'name', header: 'Name', cell: (game) => <GameLink game={game} /> },
          { id: 'id', header: 'Id', cell: ({ gameId }) => <CopyableId id={gameId} /> },
          { id: 'store', header: 'Store', cell: (game) => <Published game={game} /> },
          {
            id: 'retention',
            header: 'Events are kept',
            cell: ({ retentionDays }) =>
              retentionDays === null ? 'for ever' : countOf(retentionDays, 'day'),
          },
        ]}
      />
      <SidePanel title="Create a game" isOpen={isOpen} onClose={() => setOpen(false)}>
        <NewGame studio={studio} />
      </SidePanel>
    </Stack>
  );
}

function GameLink({ game: { gameId, name } }: { game: Schemas['Game'] }) {
  const { studio, game } = useStudioAndGame();
  if (gameId === game) {
    return (
      <Group gap={4}>
        <Text size="sm" fw={600}>
          {name}
        </Text>
        <Badge variant="light" flex="none">
          this game
        </Badge>
      </Group>
    );
  }
  return (
    <Anchor
      size="sm"
      renderRoot={(props) => <Link {...props} to="/$studio/$game" params={{ studio, game: gameId }} />}
    >
      {name}
    </Anchor>
  );
}

function Published({ game: { publishedVersion, draft } }: { game: Schemas['Game'] }) {
  return (
    <Group gap="xs" wrap="nowrap">
      <Text size="sm">{publishedVersion === 0 ? 'not published' : `v${publishedVersion}`}</Text>
      {draft.isEdited && (
        <Badge color="orange" variant="light">
          draft
        </Badge>
      )}
    </Group>
  );
}
