import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useGet, usePlace } from '../../api/hooks.js';
import { useRole } from '../../api/session.js';
import type { ExplanationQuery } from '../../api/use-explanation.js';
import { Loaded } from '../../parts/states.js';
import { Moment, Person } from '../../parts/texts.js';
import { OverridePanel } from './OverridePanel.js';
import { YesNo } from './Player.js';

const route = getRouteApi('/$studio/$game/players/$playerId');

/** The flags of the player with their reasons and overrides. */
export function Flags({ playerId, explanation }: { playerId: string; explanation: ExplanationQuery }) {
  const { game } = usePlace();
  const { isEditor } = useRole();
  const { edit } = route.useSearch();
  const navigate = route.useNavigate();
  const show = (flagId: string | undefined) =>
    navigate({ search: (before) => ({ ...before, edit: flagId }) });
  const overrides = useGet('listOverrides', { params: { game, playerId } });
  const inForce = new Map(
    (overrides.data?.overrides ?? [])
      .filter(({ state }) => state === 'in_force')
      .map((each) => [each.flagId, each]),
  );
  return (
    <section aria-label="Flags">
      <Title order={2} size="h4" mb="xs">
        Flags
      </Title>
      <Loaded query={explanation} height={70}>
        {({ trace, because }) => (
          <Stack gap={6}>
            {trace.flags.map(({ flagId, value }, index) => {
              const override = inForce.get(flagId);
              return (
                <Group
                  key={flagId}
                  gap="xs"
                  align="flex-start"
                  wrap="nowrap"
                  role="group"
                  aria-label={flagId}
                >
                  <Text size="sm" fw={600} miw={90}>
                    {flagId}
                  </Text>
                  <YesNo value={value} />
                  <Text size="xs" c="dimmed" flex={1}>
                    {because.flags[index]}
                    {override && (
                      <>
                        {' '}
                        <Person name={override.author} email={override.authorEmail} />: “{override.reason}”
                        {override.until !== null && (
                          <>
                            , until <Moment at={override.until} />
                          </>
                        )}
                      </>
                    )}
                  </Text>
                  {isEditor && (
                    <Button size="compact-xs" variant="default" onClick={() => show(flagId)}>
                      Override
                    </Button>
                  )}
                </Group>
              );
            })}
          </Stack>
        )}
      </Loaded>
      {edit !== undefined && isEditor && (
        <OverridePanel
          playerId={playerId}
          flagId={edit}
          standing={inForce.get(edit)}
          onClose={() => show(undefined)}
        />
      )}
    </section>
  );
}
