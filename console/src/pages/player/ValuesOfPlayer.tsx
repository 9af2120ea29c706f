import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { usePages, useStudioAndGame } from '../../api/hooks.js';
import { useRole } from '../../api/session.js';
import type { ExplanationQuery } from '../../api/use-explanation.js';
import { Sentence } from '../../parts/texts.js';
import { FormerPins } from './FormerPins.js';
import { PinPanel } from './PinPanel.js';

const route = getRouteApi('/$studio/$game/players/$playerId');

/** The typed values that the player gets, why, and what is pinned. Nothing where the game has none. */
export function ValuesOfPlayer({
  playerId,
  explanation,
}: {
  playerId: string;
  explanation: ExplanationQuery;
}) {
  const { game } = useStudioAndGame();
  const { isEditor } = useRole();
  const { pin: pinned } = route.useSearch();
  const navigate = route.useNavigate();
  const show = (key: string | undefined) => navigate({ search: (before) => ({ ...before, pin: key }) });
  const pins = usePages('listPins', { params: { game, playerId } }, { next: ({ nextCursor }) => nextCursor });
  const { trace, because } = explanation.data ?? {};
  if (trace === undefined || trace.values.length === 0) return null;
  const all = (pins.data?.pages.flatMap((page) => page.pins) ?? []).filter(({ kind }) => kind === 'value');
  // Those in force come first, so the first page has all of them.
  const inForce = new Map(all.filter(({ state }) => state === 'in_force').map((each) => [each.target, each]));
  const edited = trace.values.find(({ key }) => key === pinned);
  return (
    <section aria-label="Values">
      <Title order={2} size="h4" mb="xs">
        Values
      </Title>
      <Stack gap={6}>
        {trace.values.map(({ key }, index) => (
          <Group key={key} gap="xs" align="flex-start" role="group" aria-label={key}>
            <Text size="xs" c="dimmed" flex="1 1 165px">
              <Sentence text={because?.values[index] ?? ''} />
            </Text>
            {isEditor && (
              <Button size="compact-xs" variant="default" miw="fit-content" onClick={() => show(key)}>
                Pin
              </Button>
            )}
          </Group>
        ))}
      </Stack>
      <FormerPins
        pins={all.filter(({ state }) => state !== 'in_force')}
        more={{
          has: pins.hasNextPage,
          isLoading: pins.isFetchingNextPage,
          load: () => void pins.fetchNextPage(),
        }}
      />
      {edited !== undefined && isEditor && (
        <PinPanel
          key={edited.key}
          playerId={playerId}
          target={edited.key}
          current={inForce.get(edited.key)}
          shown={edited.value}
          onClose={() => show(undefined)}
        />
      )}
    </section>
  );
}
