import { Button, Group, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { type ApiProblem, call } from '../../api/client.js';
import { usePlace } from '../../api/hooks.js';
import { useDraft } from '../../draft/draft-context.js';
import { ProblemNote } from '../../parts/states.js';

/** Shows the saved draft as a player would see it, with the reason beside each price. */
export function PreviewAsPlayer() {
  const { studio, game } = usePlace();
  const { isEditedHere } = useDraft();
  const navigate = useNavigate();
  const [find, setFind] = useState('');
  const look = useMutation<string | undefined, ApiProblem>({
    mutationFn: async () => {
      const { players } = await call(
        'listPlayers',
        { params: { game }, query: { find: find.trim() } },
        { studio },
      );
      return players[0]?.playerId;
    },
    onSuccess: (playerId) => {
      if (playerId === undefined) return;
      const params = { studio, game, playerId };
      navigate({ to: '/$studio/$game/players/$playerId', params, search: { version: 'draft' } });
    },
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    if (find.trim() !== '') look.mutate();
  }
  return (
    <form onSubmit={submit}>
      <Group align="flex-end" gap="xs">
        <TextInput
          flex={1}
          label="Preview for a player"
          description={
            isEditedHere
              ? 'Shows the draft as it is saved: save first'
              : 'User id, device id or transaction id'
          }
          value={find}
          onChange={({ currentTarget }) => setFind(currentTarget.value)}
        />
        <Button type="submit" variant="default" loading={look.isPending}>
          Preview
        </Button>
      </Group>
      {look.isSuccess && look.data === undefined && (
        <Text size="sm" c="red" role="alert">
          No player of this game has this id.
        </Text>
      )}
      <ProblemNote problem={look.error} />
    </form>
  );
}
