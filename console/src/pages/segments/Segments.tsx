import { Anchor, Group, Stack, Text } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useGet, useStudioAndGame } from '../../api/hooks.js';
import { useRole } from '../../api/session.js';
import { useDraft } from '../../draft/draft-context.js';
import { useEntries } from '../../draft/use-entries.js';
import { freeId, problemsUnder, type Segment } from '../../lib/document.js';
import { countOf, formatCount, formatShare } from '../../lib/format.js';
import { sizesOf, trendInWords } from '../../lib/trend.js';
import { DataTable } from '../../parts/DataTable.js';
import { AddButton, EntryLink, ProblemLines } from '../../parts/entries.js';
import { Page } from '../../parts/Page.js';
import { Sparkline } from '../../parts/Sparkline.js';
import { EmptyState, ProblemNote } from '../../parts/states.js';
import { Moment } from '../../parts/texts.js';
import { SegmentNumbers } from './SegmentNumbers.js';
import { SegmentPanel } from './SegmentPanel.js';

const route = getRouteApi('/$studio/$game/segments');

/** Named groups of players: who is in, how many, and what depends on it. */
export function Segments() {
  const { studio, game } = useStudioAndGame();
  const { isEditor } = useRole();
  const { segment: openSegment } = route.useSearch();
  const navigate = route.useNavigate();
  const { document, edit, problems } = useDraft();
  const sizes = useGet('listSegments', { params: { game } });
  const sizeOf = new Map(sizes.data?.segments.map((each) => [each.segmentId, each]));
  const rows = document?.segments;
  const show = (segmentId: string | undefined) => navigate({ search: { segment: segmentId } });
  const setSegments = (change: (segments: readonly Segment[]) => Segment[]) =>
    edit((before) => ({ ...before, segments: change(before.segments) }));
  const { open, add } = useEntries({
    entries: rows ?? [],
    idOf: ({ segmentId }) => segmentId,
    pointer: '/segments',
    set: setSegments,
    openId: openSegment,
    onOpen: (segmentId, replace) => navigate({ search: { segment: segmentId }, replace }),
  });
  const addNew = () => {
    const segmentId = freeId('new_segment', rows?.map((each) => each.segmentId) ?? []);
    const name = 'New segment';
    add({ segmentId, name, rule: 'flags.isPayer', visibleToClients: false, priority: 0 });
  };

  return (
    <Page
      title="Segments"
      question="Groups of players by rules. A player is in or out with the next request, never tomorrow."
      actions={isEditor && <AddButton label="Add segment" isReady={rows !== undefined} onClick={addNew} />}
    >
      <ProblemNote problem={sizes.error} onRetry={() => sizes.refetch()} />
      <DataTable
        label="Segments"
        rows={rows}
        rowKey={({ segmentId }) => segmentId}
        empty={
          <EmptyState title="No segments yet">
            <Text size="sm">
              A segment is a name and a rule, such as <span className="mono">{'purchases.total > 0'}</span>.
              Offers and flags can ask for it.
            </Text>
          </EmptyState>
        }
        columns={[
          {
            id: 'name',
            header: 'Segment',
            cell: ({ segmentId, name }) => (
              <Stack gap={0}>
                <EntryLink name={name} onOpen={() => show(segmentId)} />
                <Text size="xs" c="dimmed" className="mono">
                  {segmentId}
                </Text>
              </Stack>
            ),
          },
          {
            id: 'rule',
            header: 'Rule',
            cell: ({ rule, segmentId }) => (
              <>
                <span className="mono">{rule}</span>
                <ProblemLines
                  problems={problemsUnder(
                    problems,
                    `/segments/${rows?.findIndex((each) => each.segmentId === segmentId)}`,
                  )}
                />
              </>
            ),
          },
          {
            id: 'size',
            header: 'Players',
            isNumber: true,
            cell: ({ segmentId }) => {
              const size = sizeOf.get(segmentId)?.size;
              if (size === undefined) return <Text size="xs">not published</Text>;
              if (size === null) return '–';
              return (
                <Anchor
                  size="sm"
                  renderRoot={(props) => (
                    <Link
                      {...props}
                      to="/$studio/$game/players"
                      params={{ studio, game }}
                      search={{ segment: segmentId }}
                    />
                  )}
                >
                  {sizes.data?.isSampled ? 'about ' : ''}
                  {formatCount(size.players)} · {formatShare(size.share)}
                </Anchor>
              );
            },
          },
          {
            id: 'trend',
            header: '30 days',
            cell: ({ segmentId }) => {
              const days = sizesOf(sizes.data?.days ?? [], segmentId);
              return <Sparkline values={days.map(({ players }) => players)} label={trendInWords(days)} />;
            },
          },
          {
            id: 'used',
            header: 'Used by',
            cell: ({ segmentId }) => {
              const use = sizeOf.get(segmentId)?.usedBy;
              const names = use === undefined ? [] : [...use.offers, ...use.segments, ...use.flags];
              return names.length === 0 ? '–' : names.join(', ');
            },
          },
        ]}
      />
      {sizes.data && (
        <Group gap={4}>
          <Text size="xs" c="dimmed">
            Sizes of version {sizes.data.version}, of {countOf(sizes.data.players, 'player')}
            {sizes.data.isSampled ? `, estimated from ${formatCount(sizes.data.examined)}` : ''}, counted{' '}
            <Moment at={sizes.data.countedAt} />.
          </Text>
        </Group>
      )}
      {sizes.data !== undefined && sizes.data.segments.length > 0 && <SegmentNumbers />}
      {open !== undefined && document !== undefined && (
        <SegmentPanel
          {...open}
          segment={open.entry}
          document={document}
          isReadOnly={!isEditor}
          days={sizesOf(sizes.data?.days ?? [], open.entry.segmentId)}
          usedBy={sizeOf.get(open.entry.segmentId)?.usedBy}
        />
      )}
    </Page>
  );
}
