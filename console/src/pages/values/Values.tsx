import { Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useRole } from '../../api/session.js';
import { useDraft } from '../../draft/draft-context.js';
import { useEntries } from '../../draft/use-entries.js';
import { freeId, type GameValue, problemsUnder } from '../../lib/document.js';
import { shownValue, typeInWords } from '../../lib/value-form.js';
import { DataTable } from '../../parts/DataTable.js';
import { AddButton, EntryLink, ProblemLines } from '../../parts/entries.js';
import { Page } from '../../parts/Page.js';
import { EmptyState } from '../../parts/states.js';
import { ValuePanel } from './ValuePanel.js';

const route = getRouteApi('/$studio/$game/values');

/** The typed values of the game: numbers, texts and switches that change without a new build. */
export function Values() {
  const { isEditor } = useRole();
  const { value: openValue } = route.useSearch();
  const navigate = route.useNavigate();
  const { document, edit, problems } = useDraft();
  const rows = document === undefined ? undefined : (document.values ?? []);
  const { open, add } = useEntries<GameValue>({
    entries: rows ?? [],
    idOf: ({ key }) => key,
    pointer: '/values',
    set: (change) => edit((before) => ({ ...before, values: change(before.values ?? []) })),
    openId: openValue,
    onOpen: (key, replace) => navigate({ search: { value: key }, replace }),
  });
  const addNew = () => {
    const key = freeId('new_value', rows?.map((each) => each.key) ?? []);
    add({ key, type: 'integer', defaultValue: 0, description: '', visibleTo: 'clients', rules: [] });
  };

  return (
    <Page
      title="Values"
      question="Numbers, texts and switches of the game that change without a new build, for all players or by rules."
      actions={isEditor && <AddButton label="Add value" isReady={rows !== undefined} onClick={addNew} />}
    >
      <DataTable
        label="Values"
        rows={rows}
        rowKey={({ key }) => key}
        empty={
          <EmptyState title="No values yet">
            <Text size="sm">
              A value is a key, a type and a default, such as <span className="mono">jump_height</span>, a
              whole number, 3. The game asks for it with{' '}
              <span className="mono">player.value('jump_height', 3)</span>.
            </Text>
          </EmptyState>
        }
        columns={[
          {
            id: 'key',
            header: 'Value',
            cell: ({ key, description }) => (
              <Stack gap={0}>
                <EntryLink name={key} isMono onOpen={() => navigate({ search: { value: key } })} />
                {description !== '' && (
                  <Text size="xs" c="dimmed">
                    {description}
                  </Text>
                )}
                <ProblemLines
                  problems={problemsUnder(problems, `/values/${rows?.findIndex((each) => each.key === key)}`)}
                />
              </Stack>
            ),
          },
          { id: 'type', header: 'Type', cell: ({ type }) => typeInWords(type) },
          {
            id: 'default',
            header: 'Default',
            cell: ({ defaultValue }) => <span className="mono">{shownValue(defaultValue)}</span>,
          },
          {
            id: 'rules',
            header: 'Other values',
            cell: ({ rules }) =>
              rules.length === 0 ? (
                '–'
              ) : (
                <span className="mono">{rules.map((rule) => shownValue(rule.value)).join(', ')}</span>
              ),
          },
          {
            id: 'told',
            header: 'Told to',
            cell: ({ visibleTo }) => (visibleTo === 'clients' ? 'game and servers' : 'servers only'),
          },
        ]}
      />
      {open !== undefined && document !== undefined && (
        <ValuePanel {...open} value={open.entry} document={document} isReadOnly={!isEditor} />
      )}
    </Page>
  );
}
