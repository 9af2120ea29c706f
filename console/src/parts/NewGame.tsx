import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useApiMutation } from '../api/hooks.js';
import { idFromName, isGameId, MAX_NAME_LENGTH } from '../lib/game-id.js';
import { ProblemNote } from './states.js';

/** Creates a game of a studio, and leads to it: its Overview says what to do next. */
export function NewGame({ studio }: { studio: string }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [typedId, setTypedId] = useState<string>();
  const gameId = typedId ?? idFromName(name);
  const create = useApiMutation('createGame', {
    studio,
    onDone: (made) => {
      // Removed, not asked for again: the first page, if it is this one, would lead to a game by itself meanwhile.
      queries.removeQueries({ queryKey: ['start'] });
      queries.invalidateQueries({ queryKey: [studio, 'listGames'] });
      navigate({ to: '/$studio/$game', params: { studio, game: made.gameId } });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate({ body: { gameId, ...(name.trim() === '' ? {} : { name }) } });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm" maw={480}>
        <TextInput
          label="Name of the game"
          placeholder="Rocket Race"
          maxLength={MAX_NAME_LENGTH}
          data-autofocus
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <TextInput
          label="Id of the game"
          description="Goes into addresses and the header X-Game-Id, and cannot be changed later"
          error={
            gameId !== '' &&
            !isGameId(gameId) &&
            'Use lower-case letters, digits and hyphens, 63 at most, and no hyphen first.'
          }
          value={gameId}
          onChange={({ currentTarget }) => setTypedId(currentTarget.value)}
        />
        <ProblemNote problem={create.error} />
        <Group>
          <Button type="submit" loading={create.isPending} disabled={!isGameId(gameId)}>
            Create the game
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
