import { Anchor, Button, Code, Group, Text, TextInput } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { useGet, usePages, useStudioAndGame } from '../../api/hooks.js';
import { formatCount } from '../../lib/format.js';
import { listQuery } from '../../lib/player-filters.js';
import { DataTable, moreOf } from '../../parts/DataTable.js';
import { Money } from '../../parts/Money.js';
import { Page } from '../../parts/Page.js';
import { EmptyState, ProblemNote } from '../../parts/states.js';
import { Moment } from '../../parts/texts.js';
import { OverrideImport } from './OverrideImport.js';
import { PlayerFilters } from './PlayerFilters.js';

const route = getRouteApi('/$studio/$game/players');
const FOUND_BY = {
  userId: 'user id',
  deviceId: 'device id',
  transactionId: 'transaction id',
  failedTransactionId: 'refused purchase',
  userIdStart: 'beginning of the user id',
  userIdEnd: 'end of the user id',
} as const;

/** Find one player by an id or a part of it, or look through them in an order and by a filter. */
export function Players() {
  const { studio, game } = useStudioAndGame();
  const { find, hidden, ...filters } = route.useSearch();
  const navigate = route.useNavigate();
  const [text, setText] = useState(find ?? '');
  useEffect(() => setText(find ?? ''), [find]);
  // Only a list by spend says which currencies there are.
  const bySpend = useGet(
    'listPlayers',
    { params: { game }, query: { sort: 'spend', limit: 1 } },
    { enabled: filters.sort === 'spend' },
  );
  const currencies = bySpend.data?.currencies ?? [];
  const query = find === undefined ? listQuery(filters, currencies, Date.now()) : { find };
  const pages = usePages('listPlayers', { params: { game }, query });
  const examined = pages.data?.pages.reduce((sum, page) => sum + (page.examined ?? 0), 0) ?? 0;
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
              label="User id or a part of it, device id or transaction id"
              w={340}
              value={text}
              onChange={({ currentTarget }) => setText(currentTarget.value)}
            />
            <Button type="submit">Find</Button>
          </Group>
        </form>
      </Group>
      {find === undefined && (
        <PlayerFilters
          value={filters}
          currencies={currencies}
          onChange={(change) =>
            navigate({ search: (before) => ({ ...before, ...change, find: undefined }), replace: true })
          }
        />
      )}
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
          more={moreOf(pages)}
          empty={
            <NoPlayers find={find} isFiltered={Object.values(filters).some((value) => value !== undefined)} />
          }
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
            ...(filters.sort === 'lastSeen'
              ? [
                  {
                    id: 'received',
                    header: 'Last heard of',
                    isFixed: true,
                    cell: ({ lastReceivedAt }: { lastReceivedAt: string | null }) => (
                      <Moment at={lastReceivedAt} />
                    ),
                  },
                ]
              : []),
            { id: 'seen', header: 'First seen', cell: ({ firstSeenAt }) => <Moment at={firstSeenAt} /> },
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
      {examined > 0 && pages.hasNextPage && (
        <Text size="sm" c="dimmed">
          {formatCount(examined)} players were examined so far. “Show more” examines the next ones.
        </Text>
      )}
    </Page>
  );
}

function NoPlayers({ find, isFiltered }: { find: string | undefined; isFiltered: boolean }) {
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
  if (isFiltered) {
    return (
      <EmptyState title="No player is like this">
        <Text size="sm">Take a filter away. The size of a segment is on the page Segments.</Text>
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
