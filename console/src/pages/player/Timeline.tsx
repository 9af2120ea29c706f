import { Button, Group, NativeSelect, Stack, Text, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useGet, usePages, useStudioAndGame } from '../../api/hooks.js';
import { MomentInput } from '../../parts/fields.js';
import { ProblemNote } from '../../parts/states.js';
import { TimelineLine } from './TimelineLine.js';

const route = getRouteApi('/$studio/$game/players/$playerId');

const KINDS: readonly (readonly [string, string])[] = [
  ['', 'everything'],
  ['purchase,refund', 'purchases and refunds'],
  ['event', 'events'],
  ['failed', 'refused events'],
  ['login', 'logins'],
  ['override,pin', 'overrides and pins'],
  ['version', 'versions of the store'],
];

/** What happened, newest first. */
export function Timeline({ playerId }: { playerId: string }) {
  const { game } = useStudioAndGame();
  const { kinds, type, from, to } = route.useSearch();
  const navigate = route.useNavigate();
  const [hasSpan, setSpan] = useState(from !== undefined || to !== undefined);
  const pages = usePages('getTimeline', {
    params: { game, playerId },
    query: {
      ...(kinds === undefined ? {} : { kinds }),
      ...(type === undefined ? {} : { eventType: type }),
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
    },
  });
  // One filter takes the place of the other: events of a type are of one kind.
  const show = (filter: { kinds?: string | undefined; type?: string | undefined }) =>
    navigate({ search: (before) => ({ ...before, kinds: undefined, type: undefined, ...filter }) });
  const showTime = (time: { from?: string | undefined; to?: string | undefined }) =>
    navigate({ search: (before) => ({ ...before, ...time }), replace: true });
  const items = pages.data?.pages.flatMap((page) => page.items) ?? [];
  const deletedBefore = pages.data?.pages[0]?.eventsDeletedBefore ?? null;
  return (
    <section aria-label="Timeline">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          Timeline
        </Title>
        <Group gap="xs">
          <NativeSelect
            size="xs"
            aria-label="What the timeline shows"
            value={kinds ?? ''}
            data={KINDS.map(([value, label]) => ({ value, label }))}
            onChange={({ currentTarget }) => show({ kinds: currentTarget.value || undefined })}
          />
          <TypeSelect type={type} onChange={(next) => show({ type: next })} />
          {!hasSpan && (
            <Button size="xs" variant="default" onClick={() => setSpan(true)}>
              Span of time
            </Button>
          )}
        </Group>
      </Group>
      {hasSpan && (
        <Group gap="xs" mb="xs" align="flex-start">
          <MomentInput
            size="xs"
            label="From"
            value={from ?? null}
            empty="the first login"
            onChange={(next) => showTime({ from: next ?? undefined })}
          />
          <MomentInput
            size="xs"
            label="Before"
            value={to ?? null}
            empty="now"
            onChange={(next) => showTime({ to: next ?? undefined })}
          />
        </Group>
      )}
      <ProblemNote problem={pages.error} onRetry={() => pages.refetch()} />
      <Stack gap={6}>
        {items.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: events have no id of their own, and the list only grows at its end
          <TimelineLine key={index} item={item} />
        ))}
        {pages.isSuccess && items.length === 0 && (
          <Text size="sm" c="dimmed">
            {pages.hasNextPage
              ? 'Nothing of this kind among the newest events.'
              : from === undefined && to === undefined
                ? 'Nothing of this kind.'
                : 'Nothing of this kind in this time.'}
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

/** The types that the game's players send. A type of the address is kept, also if it is no longer sent. */
function TypeSelect({
  type,
  onChange,
}: {
  type: string | undefined;
  onChange: (type: string | undefined) => void;
}) {
  const { game } = useStudioAndGame();
  const { data } = useGet('listEventTypes', { params: { game } });
  const sent = data?.eventTypes.map(({ eventType }) => eventType) ?? [];
  const types = [...new Set(type === undefined ? sent : [...sent, type])].sort();
  return (
    <NativeSelect
      size="xs"
      aria-label="Events of one type"
      value={type ?? ''}
      data={[
        { value: '', label: 'every event type' },
        ...types.map((each) => ({ value: each, label: each })),
      ]}
      onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
    />
  );
}
