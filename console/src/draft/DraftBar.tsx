import { Button, Group, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useApiMutation, useGet, useStudioAndGame } from '../api/hooks.js';
import { useMe, useRole } from '../api/session.js';
import { countOf } from '../lib/format.js';
import { SidePanel } from '../parts/SidePanel.js';
import { Loaded, ProblemNote } from '../parts/states.js';
import { Moment, Person } from '../parts/texts.js';
import { BackTest } from './BackTest.js';
import { Difference } from './Difference.js';
import { DraftConflict } from './DraftConflict.js';
import { DryRun } from './DryRun.js';
import { useDraft } from './draft-context.js';
import { OtherEditors } from './OtherEditors.js';
import { Publish } from './Publish.js';
import { SetAside } from './SetAside.js';

type Panel = 'compare' | 'dry-run' | 'back-test' | 'publish' | 'discard';

/** Shown on every page while there is a draft: what changed, who edits, and the buttons that compare, try and publish it. */
export function DraftBar() {
  const { draft, isEditedHere, isSaving, problems, save, undo, saveProblem, conflict, ...editing } =
    useDraft();
  const { overtakenBy, others, aside, restoredAt } = editing;
  const { game } = useStudioAndGame();
  const { data: me } = useMe();
  const { isEditor } = useRole();
  const exists = draft !== undefined && (draft.isEdited || isEditedHere);
  const difference = useGet('draftDifference', { params: { game } }, { enabled: exists });
  const [panel, setPanel] = usePanel();
  if (!exists) {
    if (others.length === 0 && aside === null) return null;
    return (
      <section className="draft-bar" aria-label="Editors of the draft">
        <OtherEditors />
        <SetAside />
      </section>
    );
  }
  // By the address: two people may have one name.
  const isOwn = draft.updatedByEmail !== null && draft.updatedByEmail === me?.account?.email;
  const needsSave = isEditedHere ? 'Save the draft first' : undefined;
  return (
    <>
      <section className="draft-bar" aria-label="Draft">
        {saveProblem !== null && conflict === null && <ProblemNote problem={saveProblem} />}
        {overtakenBy !== null && (
          <Group gap="xs" role="alert">
            <Text size="sm" c="red">
              {overtakenBy} has {draft.isEdited ? 'saved' : 'published or discarded'} the draft{' '}
              <Moment at={draft.updatedAt} />. Nothing is lost: what you typed is still here.
            </Text>
            {/* A save on a revision that is not the newest one changes nothing, and shows the conflict. */}
            <Button size="compact-xs" variant="light" color="red" loading={isSaving} onClick={save}>
              Show both
            </Button>
          </Group>
        )}
        {restoredAt !== null && isEditedHere && (
          <Text size="sm" role="status">
            Restored: what you typed <Moment at={restoredAt} /> and did not save. Save it, or take it back
            with Undo.
          </Text>
        )}
        <OtherEditors />
        <SetAside />
        <Group justify="space-between" gap="sm">
          <Group gap="xs">
            <Text size="sm" fw={600}>
              Draft of v{draft.basedOn}
            </Text>
            <Text size="sm">· {countOf(difference.data?.difference.length ?? 0, 'change')}</Text>
            {isEditedHere && (
              <Text size="sm" c="orange" fw={600}>
                · not saved
              </Text>
            )}
            {problems.length > 0 && (
              <Text size="sm" c="red" fw={600}>
                · {countOf(problems.length, 'problem')}
              </Text>
            )}
            {draft.updatedBy !== null && (
              <Text size="sm" c="dimmed">
                · {isOwn ? 'you' : <Person name={draft.updatedBy} email={draft.updatedByEmail} />},{' '}
                <Moment at={draft.updatedAt} />
              </Text>
            )}
          </Group>
          <Group gap="xs">
            {isEditedHere && isEditor && (
              <>
                <Button size="xs" variant="subtle" onClick={undo}>
                  Undo
                </Button>
                <Button size="xs" loading={isSaving} onClick={save}>
                  Save draft
                </Button>
              </>
            )}
            <Button size="xs" variant="default" title={needsSave} onClick={() => setPanel('compare')}>
              Compare
            </Button>
            <Button size="xs" variant="default" title={needsSave} onClick={() => setPanel('dry-run')}>
              Dry run
            </Button>
            <Button size="xs" variant="default" title={needsSave} onClick={() => setPanel('back-test')}>
              Back-test
            </Button>
            {isEditor && draft.isEdited && (
              <Button size="xs" variant="subtle" color="red" onClick={() => setPanel('discard')}>
                Discard
              </Button>
            )}
            {isEditor && (
              <Button size="xs" disabled={isEditedHere} title={needsSave} onClick={() => setPanel('publish')}>
                Publish
              </Button>
            )}
          </Group>
        </Group>
      </section>
      <SidePanel
        title="What publishing would change"
        isOpen={panel === 'compare'}
        onClose={() => setPanel(undefined)}
      >
        <Loaded query={difference}>{(data) => <Difference changes={data.difference} />}</Loaded>
      </SidePanel>
      <SidePanel
        title="Dry run of the draft"
        isOpen={panel === 'dry-run'}
        onClose={() => setPanel(undefined)}
      >
        <DryRun />
      </SidePanel>
      <SidePanel
        title="Back-test of the draft"
        isOpen={panel === 'back-test'}
        onClose={() => setPanel(undefined)}
      >
        <BackTest />
      </SidePanel>
      <SidePanel title="Publish the draft" isOpen={panel === 'publish'} onClose={() => setPanel(undefined)}>
        <Publish onDone={() => setPanel(undefined)} />
      </SidePanel>
      <SidePanel title="Discard the draft" isOpen={panel === 'discard'} onClose={() => setPanel(undefined)}>
        <Discard onDone={() => setPanel(undefined)} />
      </SidePanel>
      <DraftConflict />
    </>
  );
}

/** The address says which panel is open. */
function usePanel(): [Panel | undefined, (panel: Panel | undefined) => void] {
  const { panel } = useSearch({ strict: false }) as { panel?: Panel };
  const navigate = useNavigate();
  return [
    panel,
    (next) =>
      void navigate({
        to: '.',
        search: (before: Record<string, unknown>) => ({ ...before, panel: next }),
      } as never),
  ];
}

function Discard({ onDone }: { onDone: () => void }) {
  const { game } = useStudioAndGame();
  const { draft, undo } = useDraft();
  const [isSure, setSure] = useState(false);
  const discard = useApiMutation('discardDraft', {
    onDone: () => {
      undo();
      onDone();
    },
  });
  if (draft === undefined) return null;
  return (
    <>
      <Text size="sm">
        The draft becomes what is published again, v{draft.basedOn}. Its changes are gone for all editors.
      </Text>
      <ProblemNote problem={discard.error} />
      <Button
        color="red.9"
        loading={discard.isPending}
        onClick={() => {
          if (!isSure) return setSure(true);
          discard.mutate({ params: { game }, query: { revision: draft.revision } });
        }}
      >
        {isSure ? 'Yes, discard the draft' : 'Discard the draft'}
      </Button>
    </>
  );
}
