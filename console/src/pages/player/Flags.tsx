import { Stack, Text, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { usePages, useStudioAndGame } from '../../api/hooks.js';
import { useRole } from '../../api/session.js';
import type { ExplanationQuery } from '../../api/use-explanation.js';
import { moreOf } from '../../parts/DataTable.js';
import { Loaded } from '../../parts/states.js';
import { Moment, Person, Sentence } from '../../parts/texts.js';
import { FormerExceptions } from './FormerExceptions.js';
import { OverridePanel } from './OverridePanel.js';
import { ReasonLine } from './ReasonLine.js';
import { YesNo } from './YesNo.js';

const route = getRouteApi('/$studio/$game/players/$playerId');

/** The flags of the player with their reasons and overrides. */
export function Flags({ playerId, explanation }: { playerId: string; explanation: ExplanationQuery }) {
  const { game } = useStudioAndGame();
  const { isEditor } = useRole();
  const { edit } = route.useSearch();
  const navigate = route.useNavigate();
  const show = (flagId: string | undefined) =>
    navigate({ search: (before) => ({ ...before, edit: flagId }) });
  const overrides = usePages('listOverrides', { params: { game, playerId } });
  const all = overrides.data?.pages.flatMap((page) => page.overrides) ?? [];
  // Those in force come first, so the first page has all of them.
  const inForce = new Map(all.filter(({ state }) => state === 'in_force').map((each) => [each.flagId, each]));
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
                <ReasonLine
                  key={flagId}
                  id={flagId}
                  before={
                    <>
                      <Text size="sm" fw={600} miw={90}>
                        {flagId}
                      </Text>
                      <YesNo value={value} />
                    </>
                  }
                  action={{ label: 'Override', onClick: () => show(flagId) }}
                >
                  <Sentence text={because.flags[index] ?? ''} />
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
                </ReasonLine>
              );
            })}
          </Stack>
        )}
      </Loaded>
      <FormerExceptions
        label="Former overrides"
        rows={all.filter(({ state }) => state !== 'in_force')}
        more={moreOf(overrides)}
        subject={{ header: 'Flag', of: ({ flagId }) => flagId }}
        value={{ header: 'Value', of: ({ value }) => <YesNo value={value} /> }}
      />
      {edit !== undefined && isEditor && (
        <OverridePanel
          playerId={playerId}
          flagId={edit}
          current={inForce.get(edit)}
          onClose={() => show(undefined)}
        />
      )}
    </section>
  );
}
