import { Alert, Button, Checkbox, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { call, type Schemas } from '../api/client.js';
import { useApiMutation, useGet, useStudioAndGame } from '../api/hooks.js';
import type { DocumentChange } from '../lib/document.js';
import { mergeDocuments } from '../lib/merge.js';
import { ProblemNote } from '../parts/states.js';
import { Difference } from './Difference.js';
import { DryRun } from './DryRun.js';
import { useDraft } from './draft-context.js';
import { isLostValues, LostValues } from './LostValues.js';
import { isPriceRaise, PriceRaises } from './PriceRaises.js';

/** What changes, for how many players, a note for the history, one button. The button does not wait for the numbers. */
export function Publish({ onDone }: { onDone: () => void }) {
  const { game } = useStudioAndGame();
  const { refresh, isEditedHere } = useDraft();
  const difference = useGet('draftDifference', { params: { game } });
  const [note, setNote] = useState('');
  const [isConfirmed, setConfirmed] = useState(false);
  const [isLossConfirmed, setLossConfirmed] = useState(false);
  const publish = useApiMutation('publishDraft', {
    onDone: () => {
      refresh();
      onDone();
    },
  });
  const { error } = publish;
  const revision = difference.data?.revision;

  return (
    <Stack gap="md">
      <Text size="sm">Publishing shows this to players with their next request. It can be rolled back.</Text>
      {isEditedHere && (
        <Alert color="orange">Changes that are not saved are not published. Save the draft first.</Alert>
      )}
      {difference.data && <Difference changes={difference.data.difference} />}
      <section aria-label="What it changes for players">
        <Text fw={600} size="sm" mb="xs">
          What it changes for players
        </Text>
        <DryRun />
      </section>
      <Textarea
        label="Note"
        description="What changed and why, for the history"
        value={note}
        maxLength={2000}
        autosize
        minRows={2}
        onChange={({ currentTarget }) => setNote(currentTarget.value)}
      />
      {error?.code === 'version_conflict' ? (
        <VersionConflict details={error.details} onTaken={onDone} />
      ) : isPriceRaise(error) ? (
        <>
          <PriceRaises problem={error} />
          <Checkbox
            label="These prices are meant to go up"
            checked={isConfirmed}
            onChange={({ currentTarget }) => setConfirmed(currentTarget.checked)}
          />
        </>
      ) : isLostValues(error) ? (
        <>
          <LostValues problem={error} />
          <Checkbox
            label="These builds can do without the values"
            checked={isLossConfirmed}
            onChange={({ currentTarget }) => setLossConfirmed(currentTarget.checked)}
          />
        </>
      ) : (
        <ProblemNote problem={error}>
          {((error?.details.problems ?? []) as Schemas['DocumentProblem'][]).map(({ pointer, message }) => (
            <Text size="sm" key={pointer}>
              {message}
            </Text>
          ))}
        </ProblemNote>
      )}
      <Button
        disabled={revision === undefined || isEditedHere || difference.data?.difference.length === 0}
        loading={publish.isPending}
        onClick={() =>
          revision !== undefined &&
          publish.mutate({
            params: { game },
            body: {
              revision,
              note,
              ...(isConfirmed ? { confirmPriceRaises: true } : {}),
              ...(isLossConfirmed ? { confirmLostValues: true } : {}),
            },
          })
        }
      >
        Publish
      </Button>
    </Stack>
  );
}

/** Another editor published after this draft was begun: the editor merges both, looks at the result and saves it. */
function VersionConflict({
  details,
  onTaken,
}: {
  details: Readonly<Record<string, unknown>>;
  onTaken: () => void;
}) {
  const { studio, game } = useStudioAndGame();
  const { draft, rebase } = useDraft();
  const version = Number(details.version);
  const author = String(details.author ?? 'Another editor');

  async function takeOver() {
    if (draft === undefined) return;
    const read = (number: number) => call('getVersion', { params: { game, version: number } }, { studio });
    const [base, theirs] = await Promise.all([read(draft.basedOn), read(version)]);
    rebase(mergeDocuments(base.document, draft.document, theirs.document).document, version);
    onTaken();
  }

  return (
    <Alert color="orange" title={`${author} published version ${version} after this draft was begun`}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">Nothing was overwritten. This is what version {version} changed:</Text>
        <Difference changes={(details.difference ?? []) as DocumentChange[]} />
        <Button size="xs" onClick={() => void takeOver()}>
          Take it into the draft
        </Button>
        <Text size="sm" c="dimmed">
          Where both changed the same value, the draft's stays. Save the draft, then publish.
        </Text>
      </Stack>
    </Alert>
  );
}
