import { Button, Code, Group, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Schemas } from '../../api/client.js';
import { useApiMutation, useGet, useRefresh, useStudioAndGame } from '../../api/hooks.js';
import { countOf } from '../../lib/format.js';
import { WholeNumberInput } from '../../parts/fields.js';
import { Loaded, ProblemNote } from '../../parts/states.js';
import { CopyIcon } from '../../parts/texts.js';

/** The name of the game, how long its events are kept, and how players are erased. */
export function GameSettings() {
  const { game } = useStudioAndGame();
  const found = useGet('getGame', { params: { game } });
  return <Loaded query={found}>{(data) => <GameForm key={data.gameId} game={data} />}</Loaded>;
}

function GameForm({ game }: { game: Schemas['Game'] }) {
  const refresh = useRefresh();
  const [name, setName] = useState(game.name);
  const [days, setDays] = useState(game.retentionDays);
  const [waitDays, setWaitDays] = useState<number | null>(game.erasureWaitDays);
  const [hasPage, setHasPage] = useState(game.erasurePage);
  const [isSure, setSure] = useState(false);
  const save = useApiMutation('updateGame', {
    onDone: () => {
      setSure(false);
      refresh('getGame', 'listGames');
    },
  });
  const isShorter = days !== null && (game.retentionDays === null || days < game.retentionDays);
  return (
    <Stack gap="md" maw={480}>
      <TextInput label="Name" value={name} onChange={({ currentTarget }) => setName(currentTarget.value)} />
      <WholeNumberInput
        label="Events are kept for this many days"
        description="Empty: for ever. Players and the numbers of each day always stay."
        value={days}
        onChange={(next) => {
          setDays(next);
          setSure(false);
        }}
      />
      {isShorter && (
        <Text size="sm" c="red">
          Events older than {countOf(days, 'day')} are deleted for good, and explanations of the time before
          lack them.
        </Text>
      )}
      <WholeNumberInput
        label="Erasures can be withdrawn for this many days"
        description="Until then a player who asked for erasure is logged out, and nothing is deleted. 0: players are erased at once."
        value={waitDays}
        onChange={setWaitDays}
      />
      <ErasurePage isOn={hasPage} isSaved={hasPage === game.erasurePage} onChange={setHasPage} />
      <ProblemNote problem={save.error} />
      <Group>
        <Button
          color={isShorter ? 'red.9' : 'savepoint'}
          loading={save.isPending}
          disabled={
            name === game.name &&
            days === game.retentionDays &&
            waitDays === game.erasureWaitDays &&
            hasPage === game.erasurePage
          }
          onClick={() =>
            isShorter && !isSure
              ? setSure(true)
              : save.mutate({
                  params: { game: game.gameId },
                  body: {
                    name,
                    retentionDays: days,
                    erasureWaitDays: waitDays ?? 0,
                    erasurePage: hasPage,
                  },
                })
          }
        >
          {isShorter && isSure ? 'Yes, delete older events' : 'Save'}
        </Button>
        {save.isSuccess && <Text size="sm">Saved.</Text>}
      </Group>
    </Stack>
  );
}

type PageSwitch = { isOn: boolean; isSaved: boolean; onChange: (isOn: boolean) => void };

/** The console does not know under which name players reach the service, so it gives the path only. */
function ErasurePage({ isOn, isSaved, onChange }: PageSwitch) {
  const { studio, game } = useStudioAndGame();
  const path = `/erase/${studio}/${game}`;
  return (
    <Stack gap="xs">
      <Switch
        label="A public page on which players ask for erasure"
        description="For people who have removed the game, with a code that the game had shown them. App stores ask for its address."
        checked={isOn}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      {isOn && isSaved && (
        <Group gap="xs">
          <Text size="sm">On the address of the player API:</Text>
          <Code>{path}</Code>
          <CopyIcon text={path} label="Copy the path of the page" />
        </Group>
      )}
    </Stack>
  );
}
