import { Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useRole } from '../../api/session.js';
import { useDraft } from '../../draft/draft-context.js';
import { useEntries } from '../../draft/use-entries.js';
import { freeId, type OwnAttribute, problemsUnder } from '../../lib/document.js';
import { inWords, pathsOf } from '../../lib/own-attributes.js';
import { DataTable } from '../../parts/DataTable.js';
import { AddButton, EntryLink, ProblemLines } from '../../parts/entries.js';
import { Page } from '../../parts/Page.js';
import { EmptyState } from '../../parts/states.js';
import { AttributePanel } from './AttributePanel.js';
import { WorkProgress } from './WorkProgress.js';

const route = getRouteApi('/$studio/$game/attributes');

/** What the game defines about its players, from its own events. */
export function Attributes() {
  const { isEditor } = useRole();
  const { attribute: openAttribute } = route.useSearch();
  const navigate = route.useNavigate();
  const { document, edit, problems } = useDraft();
  const rows = document === undefined ? undefined : (document.attributes ?? []);
  const { open, add } = useEntries<OwnAttribute>({
    entries: rows ?? [],
    idOf: ({ attributeId }) => attributeId,
    pointer: '/attributes',
    set: (change) => edit((before) => ({ ...before, attributes: change(before.attributes ?? []) })),
    openId: openAttribute,
    onOpen: (attributeId, replace) => navigate({ search: { attribute: attributeId }, replace }),
  });
  const addNew = () => {
    const attributeId = freeId('new_attribute', rows?.map((each) => each.attributeId) ?? []);
    add({
      attributeId,
      description: '',
      eventType: 'Level_Up',
      member: 'payload.level',
      fold: 'last',
      type: 'integer',
    });
  };

  return (
    <Page
      title="Attributes"
      question="What your game’s own events say about a player, for use in rules."
      actions={isEditor && <AddButton label="Add attribute" isReady={rows !== undefined} onClick={addNew} />}
    >
      <WorkProgress />
      <DataTable
        label="Attributes"
        rows={rows}
        rowKey={({ attributeId }) => attributeId}
        empty={
          <EmptyState title="No attributes of your own yet">
            <Text size="sm">
              An attribute is folded from events, such as the last <span className="mono">payload.level</span>{' '}
              of <span className="mono">Level_Up</span>. Rules then ask for it:{' '}
              <span className="mono">own.level &gt;= 10</span>.
            </Text>
          </EmptyState>
        }
        columns={[
          {
            id: 'attribute',
            header: 'Attribute',
            cell: ({ attributeId, description }) => (
              <Stack gap={0}>
                <EntryLink
                  name={attributeId}
                  isMono
                  onOpen={() => navigate({ search: { attribute: attributeId } })}
                />
                {description !== '' && (
                  <Text size="xs" c="dimmed">
                    {description}
                  </Text>
                )}
                <ProblemLines
                  problems={problemsUnder(
                    problems,
                    `/attributes/${rows?.findIndex((each) => each.attributeId === attributeId)}`,
                  )}
                />
              </Stack>
            ),
          },
          { id: 'what', header: 'What it is', cell: inWords },
          {
            id: 'rules',
            header: 'In rules',
            cell: (attribute) => (
              <span className="mono">
                {pathsOf(attribute)
                  .map((path) => `own.${path}`)
                  .join(', ')}
              </span>
            ),
          },
        ]}
      />
      {open !== undefined && <AttributePanel {...open} attribute={open.entry} isReadOnly={!isEditor} />}
    </Page>
  );
}
