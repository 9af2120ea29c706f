import { Button, Group, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type ApiProblem, call } from '../../api/client.js';
import { useStudioAndGame } from '../../api/hooks.js';
import { ProblemNote } from '../../parts/states.js';

/** Finds the player to preview for, by user id, device id or transaction id. */
export function FindPlayer({ onFound }: { onFound: (playerId: string) => void }) {
  const { studio, game } = useStudioAndGame();
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
    onSuccess: (playerId) => playerId !== undefined && onFound(playerId),
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
          size="xs"
          label="Preview for a player"
          description="User id, device id or transaction id"
          value={find}
          onChange={({ currentTarget }) => setFind(currentTarget.value)}
        />
        <Button type="submit" size="xs" variant="default" loading={look.isPending}>
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
