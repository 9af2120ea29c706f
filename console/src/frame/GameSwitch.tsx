import { NativeSelect, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useGet, useStudioAndGame } from '../api/hooks.js';

/** No game has an empty id. */
const ALL_GAMES = '';

/** The first page of games, which is nearly always all of them; the list in the settings has the others. */
export function GameSwitch() {
  const { studio, game } = useStudioAndGame();
  const { data: list } = useGet('listGames');
  const navigate = useNavigate();
  const games = list?.games ?? [];
  const isListed = games.some(({ gameId }) => gameId === game);
  const isElsewhere = list !== undefined && !isListed;
  const { data: found } = useGet('getGame', { params: { game } }, { enabled: isElsewhere });
  const options = games.map(({ gameId, name }) => ({ value: gameId, label: name }));
  if (isElsewhere) options.unshift({ value: game, label: found?.name ?? game });
  const [only] = options;
  if (options.length < 2) return <Text fw={600}>{only?.label ?? game}</Text>;
  if (list?.nextCursor) options.push({ value: ALL_GAMES, label: 'All games…' });
  return (
    <NativeSelect
      aria-label="Game"
      size="xs"
      value={game}
      data={options}
      onChange={({ currentTarget: { value } }) =>
        value === ALL_GAMES
          ? navigate({ to: '/$studio/$game/settings', params: { studio, game }, search: { tab: 'games' } })
          : navigate({ to: '/$studio/$game', params: { studio, game: value } })
      }
    />
  );
}
