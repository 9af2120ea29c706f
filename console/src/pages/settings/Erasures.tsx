import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Schemas } from '../../api/client.js';
import { useApiMutation, usePages, useRefresh, useStudioAndGame } from '../../api/hooks.js';
import { useRole } from '../../api/session.js';
import { erasedInWords } from '../../lib/erasures.js';
import { DataTable, moreOf } from '../../parts/DataTable.js';
import { PlayerLink } from '../../parts/PlayerLink.js';
import { EmptyState, ProblemNote } from '../../parts/states.js';
import { CopyableId, CopyIcon, Moment, Person } from '../../parts/texts.js';

type Erasure = Schemas['Erasure'];

const RUNNING_MS = 2_000;
const COLORS = { waiting: 'yellow', erasing: 'yellow', done: 'teal', withdrawn: 'gray' } as const;

/** Requests to erase players: what is due when, what was erased, and the receipts. */
export function Erasures() {
  const { game } = useStudioAndGame();
  const { isEditor } = useRole();
  const refresh = useRefresh();
  const [withdrawing, setWithdrawing] = useState<string>();
  const pages = usePages(
    'listErasures',
    { params: { game } },
    {
      everyMs: ({ erasures }) => (erasures.some(isAtWork) ? RUNNING_MS : false),
    },
  );
  const withdraw = useApiMutation('withdrawErasure', {
    onDone: () => {
      setWithdrawing(undefined);
      refresh('listErasures');
    },
  });
  return (
    <Stack gap="md">
      <Text size="sm">
        Players ask for erasure in the game, or you erase them on their page. How long a request can be
        withdrawn is a setting of the game.
      </Text>
      <ProblemNote problem={pages.error ?? withdraw.error} onRetry={() => pages.refetch()} />
      <DataTable
        label="Erasures"
        rows={pages.data?.pages.flatMap(({ erasures }) => erasures)}
        rowKey={({ erasureId }) => erasureId}
        more={moreOf(pages)}
        empty={
          <EmptyState title="Nobody has asked for erasure">
            <Text size="sm">Requests of players are listed here, with the day on which each is due.</Text>
          </EmptyState>
        }
        columns={[
          { id: 'player', header: 'Player', cell: (erasure) => <ErasedPlayer erasure={erasure} /> },
          {
            id: 'by',
            header: 'Requested by',
            cell: ({ requestedBy, requestedByEmail }) => (
              <Person name={requestedBy} email={requestedByEmail} />
            ),
          },
          { id: 'requested', header: 'Requested', cell: ({ requestedAt }) => <Moment at={requestedAt} /> },
          { id: 'due', header: 'Due', cell: ({ dueAt }) => <Moment at={dueAt} /> },
          {
            id: 'state',
            header: 'State',
            cell: ({ state }) => (
              <Badge variant="light" color={COLORS[state]}>
                {state}
              </Badge>
            ),
          },
          { id: 'erased', header: 'Erased', cell: (erasure) => <Erased erasure={erasure} /> },
          {
            id: 'withdraw',
            header: '',
            cell: ({ erasureId, state }) =>
              isEditor &&
              state === 'waiting' && (
                <Button
                  size="compact-xs"
                  variant="subtle"
                  onClick={() =>
                    withdrawing === erasureId
                      ? withdraw.mutate({ params: { game, erasureId } })
                      : setWithdrawing(erasureId)
                  }
                >
                  {withdrawing === erasureId ? 'Yes, keep the player' : 'Withdraw'}
                </Button>
              ),
          },
        ]}
      />
    </Stack>
  );
}

/** Due, and not done yet: the service is at it, or will be within seconds. */
function isAtWork({ state, dueAt }: Erasure): boolean {
  return state === 'erasing' || (state === 'waiting' && Date.parse(dueAt) <= Date.now());
}

function ErasedPlayer({ erasure: { playerId, playerHash } }: { erasure: Erasure }) {
  return playerId === null ? <CopyableId id={playerHash} /> : <PlayerLink playerId={playerId} />;
}

function Erased({ erasure: { state, counts, receipt } }: { erasure: Erasure }) {
  if (state !== 'done') return null;
  return (
    <Group gap="xs" wrap="nowrap">
      <Text size="sm">{erasedInWords(counts).slice(0, 2).join(', ')}</Text>
      {receipt !== null && <CopyIcon text={receipt} label="Copy the receipt" />}
    </Group>
  );
}
