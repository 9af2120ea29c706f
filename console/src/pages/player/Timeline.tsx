import { Button, Group, NativeSelect, Stack, Text, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { DataOf } from '../../api/client.js';
import { usePages, usePlace } from '../../api/hooks.js';
import { formatMoney } from '../../lib/format.js';
import { ProblemNote } from '../../parts/states.js';
import { Moment } from '../../parts/texts.js';

const route = getRouteApi('/$studio/$game/players/$playerId');
type Item = DataOf<'getTimeline'>['items'][number];

const KINDS: readonly (readonly [string, string])[] = [
  ['', 'everything'],
  ['purchase,refund', 'purchases and refunds'],
  ['event', 'events'],
  ['login', 'logins'],
  ['override', 'overrides'],
  ['version', 'versions of the store'],
];

/** What happened, newest first. */
export function Timeline({ playerId }: { playerId: string }) {
  const { game } = usePlace();
  const { kinds } = route.useSearch();
  const navigate = route.useNavigate();
  const pages = usePages(
    'getTimeline',
    { params: { game, playerId }, query: { ...(kinds === undefined ? {} : { kinds }) } },
    {
      next: ({ nextCursor }) => nextCursor,
    },
  );
  const items = pages.data?.pages.flatMap((page) => page.items) ?? [];
  const deletedBefore = pages.data?.pages[0]?.eventsDeletedBefore ?? null;
  return (
    <section aria-label="Timeline">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          Timeline
        </Title>
        <NativeSelect
          size="xs"
          aria-label="What the timeline shows"
          value={kinds ?? ''}
          data={KINDS.map(([value, label]) => ({ value, label }))}
          onChange={({ currentTarget }) =>
            navigate({ search: (before) => ({ ...before, kinds: currentTarget.value || undefined }) })
          }
        />
      </Group>
      <ProblemNote problem={pages.error} onRetry={() => pages.refetch()} />
      <Stack gap={6}>
        {items.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: events have no id of their own, and the list only grows at its end
          <TimelineLine key={index} item={item} />
        ))}
        {pages.isSuccess && items.length === 0 && (
          <Text size="sm" c="dimmed">
            Nothing of this kind.
          </Text>
        )}
        {pages.hasNextPage ? (
          <Group>
            <Button
              size="xs"
              variant="default"
              loading={pages.isFetchingNextPage}
              onClick={() => pages.fetchNextPage()}
            >
              Show older
            </Button>
          </Group>
        ) : (
          deletedBefore !== null && (
            <Text size="xs" c="dimmed">
              Events before {deletedBefore} (UTC) were deleted, as the game's retention says.
            </Text>
          )
        )}
      </Stack>
    </section>
  );
}

function TimelineLine({ item }: { item: Item }) {
  const isEvent = 'payload' in item;
  return (
    <div className="timeline-item">
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <Text size="xs" c="dimmed" miw={105}>
          <Moment at={item.at} />
        </Text>
        {isEvent ? (
          <details>
            <summary>{describe(item)}</summary>
            <pre className="source mono">
              {JSON.stringify(
                { timestamp: item.timestamp, payload: item.payload, metadata: item.metadata },
                null,
                2,
              )}
            </pre>
          </details>
        ) : (
          <Text size="sm">{describe(item)}</Text>
        )}
      </Group>
    </div>
  );
}

/** One line for support: what happened, in words. */
function describe(item: Item): string {
  switch (item.kind) {
    case 'purchase': {
      const price = item.price === null ? '' : formatMoney(item.price, item.currency ?? '');
      const promotion = item.promoId === null ? '' : `, promotion ${item.promoId}`;
      const order = item.transactionId === null ? '' : `, transaction ${item.transactionId}`;
      return `Purchase ${item.skuId ?? ''} ${price}${promotion}${order}${item.refundedAt === null ? '' : ' (refunded)'}`;
    }
    case 'refund':
      return `Refund of transaction ${item.transactionId ?? 'unknown'}`;
    case 'login':
      return `${item.isFirst ? 'First login' : 'Login'}${item.deviceId === null ? '' : ` on device ${item.deviceId}`}`;
    case 'override':
      return `Flag ${item.flagId}: override ${item.value ? 'yes' : 'no'} ${item.change}${item.by === null ? '' : ` by ${item.by}`} (“${item.reason}”)`;
    case 'version':
      return `Version ${item.version} published by ${item.author}${item.note === '' ? '' : `: ${item.note}`}`;
    default:
      return `${item.eventType}${item.clockSuspect ? ' (clock of the device is off)' : ''}`;
  }
}
