import { Button, Checkbox, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Schemas } from '../../api/client.js';
import { useGet, usePages, useStudioAndGame } from '../../api/hooks.js';
import { DataTable, moreOf } from '../../parts/DataTable.js';
import { SidePanel } from '../../parts/SidePanel.js';
import { EmptyState, Loaded, ProblemNote } from '../../parts/states.js';
import { Moment } from '../../parts/texts.js';

const route = getRouteApi('/$studio/$game/settings');
const PAGE = 50;

/** Who changed what, and when; each entry with what was before and after. */
export function AuditLog() {
  const { game } = useStudioAndGame();
  const { entry, all } = route.useSearch();
  const navigate = route.useNavigate();
  const query = { limit: PAGE, ...(all === 'yes' ? {} : { game }) };
  const pages = usePages(
    'listAuditEntries',
    { query },
    {
      parameter: 'before',
      next: ({ entries }) => (entries.length < PAGE ? null : entries.at(-1)?.id),
    },
  );
  const show = (id: string | undefined) => navigate({ search: (before) => ({ ...before, entry: id }) });
  return (
    <Stack gap="sm">
      <Checkbox
        label="Also what was done to the studio and to its other games"
        checked={all === 'yes'}
        onChange={({ currentTarget }) =>
          navigate({ search: (before) => ({ ...before, all: currentTarget.checked ? 'yes' : undefined }) })
        }
      />
      <ProblemNote problem={pages.error} onRetry={() => pages.refetch()} />
      <DataTable
        label="Audit log"
        rows={pages.data?.pages.flatMap(({ entries }) => entries)}
        rowKey={({ id }) => id}
        onOpen={({ id }) => show(id)}
        empty={<EmptyState title="Nothing was changed yet">Every change leaves an entry here.</EmptyState>}
        more={moreOf(pages)}
        columns={[
          { id: 'at', header: 'When', cell: ({ at }) => <Moment at={at} /> },
          { id: 'actor', header: 'Who', cell: (entry) => <Who entry={entry} /> },
          { id: 'action', header: 'What', cell: ({ action }) => <span className="mono">{action}</span> },
          { id: 'target', header: 'To', cell: ({ target }) => target },
          {
            id: 'open',
            header: '',
            cell: ({ id }) => (
              <Button size="compact-xs" variant="subtle" onClick={() => show(id)}>
                Look
              </Button>
            ),
          },
        ]}
      />
      {entry !== undefined && <EntryPanel entry={entry} onClose={() => show(undefined)} />}
    </Stack>
  );
}

/** Names are not unique: the email address or the id of the token tells two actors of one name apart. */
function Who({ entry }: { entry: Pick<Schemas['AuditEntry'], 'actor' | 'actorEmail' | 'actorTokenId'> }) {
  const { actor, actorEmail, actorTokenId } = entry;
  const exact = actorEmail ?? (actorTokenId === null ? null : `token ${actorTokenId}`);
  return (
    <div>
      <Text size="sm">{actor}</Text>
      {exact !== null && (
        <Text size="xs" c="dimmed">
          {exact}
        </Text>
      )}
    </div>
  );
}

function EntryPanel({ entry, onClose }: { entry: string; onClose: () => void }) {
  const found = useGet('getAuditEntry', { params: { entry } });
  return (
    <SidePanel title={`Entry ${entry}`} isOpen onClose={onClose}>
      <Loaded query={found}>
        {({ before, after, ...found }) => (
          <Stack gap="sm">
            <Who entry={found} />
            <Text size="sm">
              <Moment at={found.at} isExact />: {found.action} {found.target}
            </Text>
            <Text fw={600}>Before</Text>
            <pre className="source mono">{JSON.stringify(before, null, 2)}</pre>
            <Text fw={600}>After</Text>
            <pre className="source mono">{JSON.stringify(after, null, 2)}</pre>
          </Stack>
        )}
      </Loaded>
    </SidePanel>
  );
}
