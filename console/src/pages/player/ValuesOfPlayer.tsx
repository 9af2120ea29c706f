import { Stack, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useRole } from '../../api/session.js';
import type { ExplanationQuery } from '../../api/use-explanation.js';
import { Sentence } from '../../parts/texts.js';
import { FormerExceptions } from './FormerExceptions.js';
import { ReasonLine } from './ReasonLine.js';
import { usePins } from './use-pins.js';
import { ValuePinPanel } from './ValuePinPanel.js';

const route = getRouteApi('/$studio/$game/players/$playerId');

/** The typed values that the player gets, why, and what is pinned. Nothing where the game has none. */
export function ValuesOfPlayer({
  playerId,
  explanation,
}: {
  playerId: string;
  explanation: ExplanationQuery;
}) {
  const { isEditor } = useRole();
  const { pin: pinned } = route.useSearch();
  const navigate = route.useNavigate();
  const show = (key: string | undefined) => navigate({ search: (before) => ({ ...before, pin: key }) });
  const { inForce, former, more } = usePins(playerId, 'value');
  const { trace, because } = explanation.data ?? {};
  if (trace === undefined || trace.values.length === 0) return null;
  const edited = trace.values.find(({ key }) => key === pinned);
  return (
    <section aria-label="Values">
      <Title order={2} size="h4" mb="xs">
        Values
      </Title>
      <Stack gap={6}>
        {trace.values.map(({ key }, index) => (
          <ReasonLine key={key} id={key} action={{ label: 'Pin', onClick: () => show(key) }}>
            <Sentence text={because?.values[index] ?? ''} />
          </ReasonLine>
        ))}
      </Stack>
      <FormerExceptions
        label="Former pins of values"
        rows={former}
        more={more}
        subject={{ header: 'Value', of: ({ target }) => target }}
        value={{ header: 'Pinned to', of: ({ value }) => JSON.stringify(value) }}
      />
      {edited !== undefined && isEditor && (
        <ValuePinPanel
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
