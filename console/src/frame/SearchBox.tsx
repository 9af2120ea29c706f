import { Kbd, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { forwardRef, useState } from 'react';
import { call } from '../api/client.js';
import { useStudioAndGame } from '../api/hooks.js';
import { Icon } from '../parts/Icon.js';

/** A single match is opened at once; otherwise the list shows the matches, or that there is none. */
export const SearchBox = forwardRef<HTMLInputElement>(function SearchBox(_props, ref) {
  const { studio, game } = useStudioAndGame();
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const find = text.trim();

  async function search() {
    const found = await call('listPlayers', { params: { game }, query: { find } }, { studio }).catch(
      () => undefined,
    );
    const [first, ...others] = found?.players ?? [];
    if (first !== undefined && others.length === 0) {
      const params = { studio, game, playerId: first.playerId };
      navigate({ to: '/$studio/$game/players/$playerId', params });
      setText('');
    } else navigate({ to: '/$studio/$game/players', params: { studio, game }, search: { find } });
  }

  return (
    <search>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (find !== '') void search();
        }}
      >
        <TextInput
          ref={ref}
          size="xs"
          w={{ base: 150, xs: 220, md: 320 }}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          placeholder="player, device, transaction…"
          aria-label="Find a player by user id or a part of it, device id or transaction id"
          leftSection={<Icon name="search" size={14} />}
          rightSection={<Kbd size="xs">/</Kbd>}
        />
      </form>
    </search>
  );
});
