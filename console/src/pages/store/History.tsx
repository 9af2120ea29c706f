import { Badge, Button, Stack, Text, Textarea } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../../api/client.js';
import { useApiMutation, useGet, usePages, useStudioAndGame } from '../../api/hooks.js';
import { useRole } from '../../api/session.js';
import { Difference } from '../../draft/Difference.js';
import { useDraft } from '../../draft/draft-context.js';
import { isLostValues, LostValues } from '../../draft/LostValues.js';
import { isPriceRaise, PriceRaises } from '../../draft/PriceRaises.js';
import { DataTable, moreOf } from '../../parts/DataTable.js';
import { SidePanel } from '../../parts/SidePanel.js';
import { EmptyState, Loaded, ProblemNote } from '../../parts/states.js';
import { Moment, Person } from '../../parts/texts.js';

const route = getRouteApi('/$studio/$game/store');
const PAGE = 50;

/** The published versions: who published each, what it changed, and the roll-back to it. */
export function History() {
  const { game } = useStudioAndGame();
  const { version } = route.useSearch();
  const navigate = route.useNavigate();
  const pages = usePages(
    'listVersions',
    { params: { game }, query: { limit: PAGE } },
    {
      parameter: 'before',
      next: ({ versions }) => (versions.length < PAGE ? null : String(versions.at(-1)?.version)),
    },
  );
  const rows = pages.data?.pages.flatMap(({ versions }) => versions);
  const inForce = pages.data?.pages[0]?.publishedVersion;
  const show = (next: string | undefined) => navigate({ search: (before) => ({ ...before, version: next }) });
  const open = rows?.find((each) => String(each.version) === version);
  return (
    <>
      <ProblemNote problem={pages.error} />
      <DataTable
        label="Versions"
        rows={rows}
        rowKey={(row) => String(row.version)}
        onOpen={(row) => show(String(row.version))}
        empty={
          <EmptyState title="Nothing was published yet">Publish the draft: it becomes version 1.</EmptyState>
        }
        more={moreOf(pages)}
        columns={[
          {
            id: 'version',
            header: 'Version',
            cell: (row) => (
              <Button variant="subtle" size="compact-sm" onClick={() => show(String(row.version))}>
                v{row.version}
              </Button>
            ),
          },
          {
            id: 'state',
            header: '',
            cell: (row) =>
              row.version === inForce && (
                <Badge color="teal" variant="light" miw="max-content">
                  in force
                </Badge>
              ),
          },
          { id: 'published', header: 'Published', cell: (row) => <Moment at={row.publishedAt} /> },
          { id: 'author', header: 'By', cell: (row) => <Person name={row.author} email={row.authorEmail} /> },
          {
            id: 'note',
            header: 'Note',
            cell: (row) => `${row.note}${row.copyOf === null ? '' : ` (v${row.copyOf} again)`}`,
          },
        ]}
      />
      {open !== undefined && (
        <VersionPanel version={open} inForce={inForce ?? 0} onClose={() => show(undefined)} />
      )}
    </>
  );
}

function VersionPanel({
  version: { version, author, authorEmail, note, publishedAt },
  inForce,
  onClose,
}: {
  version: Schemas['VersionSummary'];
  inForce: number;
  onClose: () => void;
}) {
  const { game } = useStudioAndGame();
  const { isEditor } = useRole();
  const changes = useGet('versionDifference', { params: { game, version } });
  return (
    <SidePanel title={`Version ${version}`} isOpen onClose={onClose}>
      <Text size="sm">
        Published <Moment at={publishedAt} /> by {author}
        {authorEmail === null ? '' : ` (${authorEmail})`}
        {note === '' ? '' : `: ${note}`}
      </Text>
      <Text fw={600}>What it changed</Text>
      <Loaded query={changes}>{({ difference }) => <Difference changes={difference} />}</Loaded>
      {isEditor && version !== inForce && <RollBack version={version} inForce={inForce} onDone={onClose} />}
    </SidePanel>
  );
}

function RollBack({ version, inForce, onDone }: { version: number; inForce: number; onDone: () => void }) {
  const { game } = useStudioAndGame();
  const { refresh } = useDraft();
  const [note, setNote] = useState(`Back to version ${version}`);
  const against = useGet('versionDifference', { params: { game, version }, query: { against: inForce } });
  const back = useApiMutation('rollBack', {
    onDone: () => {
      refresh();
      onDone();
    },
  });
  const isRaise = isPriceRaise(back.error);
  const isLoss = isLostValues(back.error);
  return (
    <Stack gap="sm">
      <Text fw={600}>What going back would change</Text>
      <Loaded query={against}>{({ difference }) => <Difference changes={difference} />}</Loaded>
      <Textarea label="Note" value={note} onChange={({ currentTarget }) => setNote(currentTarget.value)} />
      {isRaise && <PriceRaises problem={back.error} />}
      {isLoss && <LostValues problem={back.error} />}
      {!isRaise && !isLoss && <ProblemNote problem={back.error} />}
      <Button
        loading={back.isPending}
        onClick={() =>
          back.mutate({
            params: { game, version },
            body: {
              note,
              basedOn: inForce,
              // Values are compared after prices: who confirms the values has confirmed the prices.
              ...(isRaise || isLoss ? { confirmPriceRaises: true } : {}),
              ...(isLoss ? { confirmLostValues: true } : {}),
            },
          })
        }
      >
        {isRaise
          ? 'Publish it although prices go up'
          : isLoss
            ? 'Publish it although values are lost'
            : `Publish version ${version} again`}
      </Button>
    </Stack>
  );
}
