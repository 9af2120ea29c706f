import { Button, Group, Stack, Text, Textarea, Title } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { Schemas } from '../../api/client.js';
import { useApiMutation, usePages, useRefresh, useStudioAndGame } from '../../api/hooks.js';
import { useRole } from '../../api/session.js';
import { ProblemNote } from '../../parts/states.js';
import { Moment, Person } from '../../parts/texts.js';

const MAX_NOTE = 4_000;

/** What colleagues have written down about the player. Players see it in an export of their own data only. */
export function Notes({ playerId }: { playerId: string }) {
  const { game } = useStudioAndGame();
  const { isEditor } = useRole();
  const pages = usePages('listNotes', { params: { game, playerId } });
  const notes = pages.data?.pages.flatMap((page) => page.notes) ?? [];
  return (
    <section aria-label="Notes">
      <Title order={2} size="h4" mb="xs">
        Notes
      </Title>
      <Stack gap="sm">
        <ProblemNote problem={pages.error} onRetry={() => pages.refetch()} />
        {pages.isSuccess && notes.length === 0 && (
          <Text size="sm" c="dimmed">
            No note on this player. Players see notes in an export of their own data only.
          </Text>
        )}
        {notes.map((note) => (
          <NoteLine key={note.noteId} playerId={playerId} note={note} />
        ))}
        {pages.hasNextPage && (
          <Group>
            <Button
              size="xs"
              variant="default"
              loading={pages.isFetchingNextPage}
              onClick={() => pages.fetchNextPage()}
            >
              Show older notes
            </Button>
          </Group>
        )}
        {isEditor && <NewNote playerId={playerId} />}
      </Stack>
    </section>
  );
}

function useNotesChanged(): () => void {
  const refresh = useRefresh();
  return () => void refresh('listNotes');
}

function NewNote({ playerId }: { playerId: string }) {
  const { game } = useStudioAndGame();
  const changed = useNotesChanged();
  const [text, setText] = useState('');
  const add = useApiMutation('addNote', {
    onDone: () => {
      setText('');
      changed();
    },
  });
  return (
    <NoteForm
      label="New note"
      verb="Add the note"
      text={text}
      onChange={setText}
      isSaving={add.isPending}
      onSave={() => add.mutate({ params: { game, playerId }, body: { text } })}
    >
      <ProblemNote problem={add.error} />
    </NoteForm>
  );
}

function NoteLine({ playerId, note }: { playerId: string; note: Schemas['Note'] }) {
  const { game } = useStudioAndGame();
  const { isEditor, isOwner } = useRole();
  const changed = useNotesChanged();
  const [text, setText] = useState<string>();
  const [isSure, setSure] = useState(false);
  const params = { game, playerId, noteId: note.noteId };
  const edit = useApiMutation('editNote', {
    onDone: () => {
      setText(undefined);
      changed();
    },
  });
  const remove = useApiMutation('deleteNote', { onDone: changed });
  return (
    <article aria-label={`Note of ${note.author}`} className="timeline-item">
      <Group gap="xs" justify="space-between">
        <Text size="xs" c="dimmed">
          <Person name={note.author} email={note.authorEmail} />, <Moment at={note.createdAt} />
          {note.editedAt !== null && (
            <>
              , edited <Moment at={note.editedAt} />
            </>
          )}
        </Text>
        {isEditor && (
          <Group gap={4}>
            {note.isOwn && text === undefined && (
              <Button size="compact-xs" variant="subtle" onClick={() => setText(note.text)}>
                Edit
              </Button>
            )}
            {(note.isOwn || isOwner) && (
              <Button
                size="compact-xs"
                variant={isSure ? 'filled' : 'subtle'}
                color="red.9"
                loading={remove.isPending}
                onClick={() => (isSure ? remove.mutate({ params }) : setSure(true))}
              >
                {isSure ? 'Yes, delete the note' : 'Delete'}
              </Button>
            )}
          </Group>
        )}
      </Group>
      {text === undefined ? (
        <Text size="sm" className="note-text">
          {note.text}
        </Text>
      ) : (
        <NoteForm
          label="Edit the note"
          verb="Save the note"
          text={text}
          onChange={setText}
          isSaving={edit.isPending}
          onSave={() => edit.mutate({ params, body: { text } })}
          onCancel={() => setText(undefined)}
        />
      )}
      <ProblemNote problem={edit.error ?? remove.error} />
    </article>
  );
}

type NoteFormProps = {
  label: string;
  verb: string;
  text: string;
  onChange: (text: string) => void;
  isSaving: boolean;
  onSave: () => void;
  onCancel?: () => void;
  children?: ReactNode;
};

function NoteForm({ label, verb, text, onChange, isSaving, onSave, onCancel, children }: NoteFormProps) {
  const isEmpty = text.trim() === '';
  function save(event: FormEvent) {
    event.preventDefault();
    if (!isEmpty) onSave();
  }
  return (
    <form onSubmit={save}>
      <Stack gap="xs">
        <Textarea
          aria-label={label}
          placeholder={label}
          autosize
          minRows={1}
          maxRows={12}
          maxLength={MAX_NOTE}
          value={text}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
        {(!isEmpty || onCancel !== undefined) && (
          <Group gap="xs">
            <Button type="submit" size="xs" disabled={isEmpty} loading={isSaving}>
              {verb}
            </Button>
            {onCancel !== undefined && (
              <Button size="xs" variant="default" onClick={onCancel}>
                Cancel
              </Button>
            )}
          </Group>
        )}
        {children}
      </Stack>
    </form>
  );
}
