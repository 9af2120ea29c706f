import { Anchor, Button, Code, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { usePages, useStudioAndGame } from '../../api/hooks.js';
import { useDraft } from '../../draft/draft-context.js';
import { formatCount } from '../../lib/format.js';
import { DataTable } from '../../parts/DataTable.js';
import { Money } from '../../parts/Money.js';
import { Page } from '../../parts/Page.js';
import { EmptyState, ProblemNote } from '../../parts/states.js';
import { Moment } from '../../parts/texts.js';
import { OverrideImport } from './OverrideImport.js';

const route = getRouteApi('/$studio/$game/players');
const FOUND_BY = {
  userId: 'user id',
  deviceId: 'device id',
  transactionId: 'transaction id',
  failedTransactionId: 'refused purchase',
  userIdStart: 'beginning of the user id',
  userIdEnd: 'end of the user id',
} as const;

/** Find one player by an id or a part of it, or look through the newest or those of a segment. */
export function Players() {
  const { studio, game } = useStudioAndGame();
  const { find, segment, hidden } = route.useSearch();
  const navigate = route.useNavigate();
  const { draft } = useDraft();
  const [text, setText] = useState(find ?? '');
  useEffect(() => setText(find ?? ''), [find]);
  const query = { ...(find === undefined ? {} : { find }), ...(segment === undefined ? {} : { segment }) };
  const pages = usePages(
    'listPlayers',
    { params: { game }, query },
    { next: ({ nextCursor }) => nextCursor },
  );
  const rows = pages.data?.pages.flatMap(({ players }) => players);

  function search(event: FormEvent) {
    event.preventDefault();
    navigate({ search: (before) => ({ hidden: before.hidden, find: text.trim() || undefined }) });
  }

  return (
    <Page title="Players" question="Who is this, and what do they see?" actions={<OverrideImport />}>
      <Group align="flex-end" gap="sm">
        <form onSubmit={search}>
          <Group gap="xs" align="flex-end">
            <TextInput
              label="User id, device id or transaction id"
              w={340}
              value={text}
              onChange={({ currentTarget }) => setText(currentTarget.value)}
            />
            <Button type="submit">Find</Button>
          </Group>
        </form>
        <NativeSelect
          label="Segment"
          value={segment ?? ''}
          data={[
            { value: '', label: 'all players, newest first' },
            ...(draft?.document.segments ?? []).map(({ segmentId, name }) => ({
              value: segmentId,
              label: name,
            })),
          ]}
          onChange={({ currentTarget }) =>
            navigate({
              search: (before) => ({ hidden: before.hidden, segment: currentTarget.value || undefined }),
            })
          }
        />
      </Group>
      <ProblemNote problem={pages.error} onRetry={() => pages.refetch()} />
      {!pages.isError && (
        <DataTable
          label="Players"
          rows={rows}
          rowKey={({ playerId }) => playerId}
          hidden={{
            value: hidden,
            onChange: (next) => navigate({ search: (before) => ({ ...before, hidden: next }) }),
          }}
          more={{
            has: pages.hasNextPage,
            isLoading: pages.isFetchingNextPage,
            load: () => void pages.fetchNextPage(),
          }}
          empty={<NoPlayers find={find} segment={segment} />}
          columns={[
            {
              id: 'player',
              header: 'Player',
              isFixed: true,
              cell: ({ playerId }) => (
                <Anchor
                  className="mono"
                  renderRoot={(props) => (
                    <Link
                      {...props}
                      to="/$studio/$game/players/$playerId"
                      params={{ studio, game, playerId }}
                    />
                  )}
                >
                  {playerId}
                </Anchor>
              ),
            },
            ...(find === undefined
              ? []
              : [
                  {
                    id: 'found',
                    header: 'Found by',
                    isFixed: true,
                    cell: ({ foundBy }: { foundBy: keyof typeof FOUND_BY | null }) =>
                      foundBy === null ? '' : FOUND_BY[foundBy],
                  },
                ]),
            { id: 'seen', header: 'First seen', cell: ({ createdAt }) => <Moment at={createdAt} /> },
            { id: 'event', header: 'Last event', cell: ({ lastEventAt }) => <Moment at={lastEventAt} /> },
            { id: 'country', header: 'Country', cell: ({ country }) => country ?? '–' },
            { id: 'platform', header: 'Platform', cell: ({ platform }) => platform ?? '–' },
            {
              id: 'purchases',
              header: 'Purchases',
              isNumber: true,
              cell: ({ purchaseCount }) => formatCount(purchaseCount),
            },
            {
              id: 'spend',
              header: 'Spent',
              isNumber: true,
              cell: ({ spend, reportedSpend, purchaseCount }) =>
                purchaseCount === 0 ? '–' : <Money paid={spend} reported={reportedSpend} />,
            },
          ]}
        />
      )}
    </Page>
  );
}

function NoPlayers({ find, segment }: { find: string | undefined; segment: string | undefined }) {
  if (find !== undefined) {
    return (
      <EmptyState title="No player has this id">
        <Text size="sm">
          “{find}” is neither a device id nor a transaction id of this game, nor the first 8 or the last 4
          digits of a user id. Device and transaction ids have to be whole: copy them from the game's log or
          the receipt.
        </Text>
      </EmptyState>
    );
  }
  if (segment !== undefined) {
    return (
      <EmptyState title="None of the newest players is in this segment">
        <Text size="sm">Look at the size of the segment on the page Segments.</Text>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No players yet">
      <Text size="sm">
        A player appears here with the first login. Try one: `npm start` prints a login to paste, or
      </Text>
      <Code block>npx savepoint simulate --players 50</Code>
    </EmptyState>
  );
}
