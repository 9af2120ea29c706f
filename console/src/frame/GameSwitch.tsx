import { NativeSelect, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useGet, usePlace } from '../api/hooks.js';

export function GameSwitch() {
  const { studio, game } = usePlace();
  const { data } = useGet('listGames');
  const navigate = useNavigate();
  const games = data?.games ?? [];
  if (games.length < 2) return <Text fw={600}>{games[0]?.name ?? game}</Text>;
  return (
    <NativeSelect
      aria-label="Game"
      size="xs"
      value={game}
      data={games.map(({ gameId, name }) => ({ value: gameId, label: name }))}
      onChange={({ currentTarget }) =>
        navigate({ to: '/$studio/$game', params: { studio, game: currentTarget.value } })
      }
    />
  );
}
