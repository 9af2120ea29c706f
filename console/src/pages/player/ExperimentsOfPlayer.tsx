import { Stack, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useRole } from '../../api/session.js';
import type { ExplanationQuery } from '../../api/use-explanation.js';
import { Sentence } from '../../parts/texts.js';
import { FormerExceptions } from './FormerExceptions.js';
import { ReasonLine } from './ReasonLine.js';
import { usePins } from './use-pins.js';
import { VariantPinPanel } from './VariantPinPanel.js';

const route = getRouteApi('/$studio/$game/players/$playerId');

/** The arms of experiments that the player is in, or why not, and what is pinned. Nothing where the game has no experiments. */
export function ExperimentsOfPlayer({
  playerId,
  explanation,
}: {
  playerId: string;
  explanation: ExplanationQuery;
}) {
  const { isEditor } = useRole();
  const { arm: pinned } = route.useSearch();
  const navigate = route.useNavigate();
  const show = (id: string | undefined) => navigate({ search: (before) => ({ ...before, arm: id }) });
  const { inForce, former, more } = usePins(playerId, 'variant');
  const { trace, because } = explanation.data ?? {};
  if (trace === undefined || trace.experiments.length === 0) return null;
  return (
    <section aria-label="Experiments">
      <Title order={2} size="h4" mb="xs">
        Experiments
      </Title>
      <Stack gap={6}>
        {trace.experiments.map(({ experimentId }, index) => (
          <ReasonLine
            key={experimentId}
            id={experimentId}
            action={{ label: 'Pin', onClick: () => show(experimentId) }}
          >
            <Sentence text={because?.experiments[index] ?? ''} />
          </ReasonLine>
        ))}
      </Stack>
      <FormerExceptions
        label="Former pins of variants"
        rows={former}
        more={more}
        subject={{ header: 'Experiment', of: ({ target }) => target }}
        value={{ header: 'Pinned to', of: ({ value }) => String(value) }}
      />
      {pinned !== undefined && isEditor && (
        <VariantPinPanel
          key={pinned}
          playerId={playerId}
          target={pinned}
          current={inForce.get(pinned)}
          onClose={() => show(undefined)}
        />
      )}
    </section>
  );
}
