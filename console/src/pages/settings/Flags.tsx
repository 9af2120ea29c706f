import { Group, Skeleton, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useRole } from '../../api/session.js';
import { useDraft } from '../../draft/draft-context.js';
import { useEntries } from '../../draft/use-entries.js';
import { type CustomFlag, freeId, problemsUnder } from '../../lib/document.js';
import { DataTable } from '../../parts/DataTable.js';
import { problemAtOf } from '../../parts/EntryPanel.js';
import { AddButton, EntryLink } from '../../parts/entries.js';
import { WholeNumberInput } from '../../parts/fields.js';
import { EmptyState } from '../../parts/states.js';
import { FlagPanel } from './FlagPanel.js';

const route = getRouteApi('/$studio/$game/settings');

/** The flags that players have: isPayer, and those of the studio. Part of the draft. */
export function Flags() {
  const { document, edit, problems } = useDraft();
  const { isEditor } = useRole();
  const { flag: openFlag } = route.useSearch();
  const navigate = route.useNavigate();
  const custom = document?.flags.custom ?? [];
  const show = (flagId: string | undefined, replace = false) =>
    navigate({ search: (before) => ({ ...before, flag: flagId }), replace });
  const { open, add } = useEntries<CustomFlag>({
    entries: custom,
    idOf: ({ flagId }) => flagId,
    pointer: '/flags/custom',
    set: (change) =>
      edit((before) => ({ ...before, flags: { ...before.flags, custom: change(before.flags.custom) } })),
    openId: openFlag,
    onOpen: show,
  });
  if (document === undefined) return <Skeleton height={240} role="status" aria-label="Loading" />;
  const { isPayer } = document.flags;
  const addNew = () => {
    const taken = custom.map(({ flagId }) => flagId);
    // Ids of flags have no underscore.
    const flagId = freeId('newFlag', taken).replace('_', '');
    add({ flagId, name: 'New flag', rule: null, defaultValue: false });
  };

  return (
    <Stack gap="md">
      <fieldset disabled={!isEditor} className="plain">
        <WholeNumberInput
          maw={420}
          label="isPayer ends this many days after the last purchase"
          description="Empty: a player who has paid once stays a payer"
          value={isPayer.payerForDays}
          error={problemAtOf(problemsUnder(problems, '/flags/isPayer'))('payerForDays')}
          onChange={(payerForDays) =>
            edit((before) => ({ ...before, flags: { ...before.flags, isPayer: { payerForDays } } }))
          }
        />
      </fieldset>
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          Games get flags with the player's status; rules can use them.
        </Text>
        {isEditor && <AddButton label="Add flag" onClick={addNew} />}
      </Group>
      <DataTable
        label="Flags"
        rows={custom}
        rowKey={({ flagId }) => flagId}
        empty={
          <EmptyState title="No flags besides isPayer">
            <Text size="sm">
              A flag is a yes or no about a player, by a rule such as{' '}
              <span className="mono">{'purchases.total >= 10'}</span>. Support can override it for one player.
            </Text>
          </EmptyState>
        }
        columns={[
          {
            id: 'flag',
            header: 'Flag',
            cell: ({ flagId, name }) => (
              <Stack gap={0}>
                <EntryLink name={name} onOpen={() => show(flagId)} />
                <Text size="xs" c="dimmed" className="mono">
                  {flagId}
                </Text>
              </Stack>
            ),
          },
          { id: 'rule', header: 'Rule', cell: ({ rule }) => <span className="mono">{rule ?? '–'}</span> },
          { id: 'default', header: 'Default', cell: ({ defaultValue }) => (defaultValue ? 'yes' : 'no') },
        ]}
      />
      {open !== undefined && (
        <FlagPanel {...open} flag={open.entry} document={document} isReadOnly={!isEditor} />
      )}
    </Stack>
  );
}
