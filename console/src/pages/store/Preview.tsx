import { NativeSelect, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useExplanation } from '../../api/use-explanation.js';
import { attributesRead } from '../../lib/attribute-usages.js';
import type { ConfigDocument } from '../../lib/document.js';
import { type InventedValues, inventedFacts } from '../../lib/invented-player.js';
import { ExplainedStore } from '../../parts/ExplainedStore.js';
import { PlayerLink } from '../../parts/PlayerLink.js';
import { Loaded } from '../../parts/states.js';
import { FindPlayer } from './FindPlayer.js';
import { InventedPlayer } from './InventedPlayer.js';

const route = getRouteApi('/$studio/$game/store');
/** A pause in typing. */
const PAUSE_MS = 400;

/**
 * The store as a chosen or an invented player would get it, under the draft as it is typed or under what is published. The service
 * decides with the code that serves players.
 */
export function Preview({ document, rule = '' }: { document: ConfigDocument; rule?: string }) {
  const { as: playerId, invented, under } = route.useSearch();
  const navigate = route.useNavigate();
  const values = useMemo(() => readValues(invented), [invented]);
  const isInvented = invented !== undefined;
  const [pausedValues] = useDebouncedValue(values, PAUSE_MS);
  const [pausedDocument] = useDebouncedValue(document, PAUSE_MS);
  const hypothetical = useMemo(() => inventedFacts(pausedValues, Date.now()), [pausedValues]);
  const player = isInvented ? { hypothetical } : playerId === undefined ? undefined : { playerId };
  const version = under === 'published' ? {} : { document: pausedDocument };
  const explanation = useExplanation(player === undefined ? undefined : { ...player, ...version });
  const set = (change: {
    as?: string | undefined;
    invented?: string | undefined;
    under?: string | undefined;
  }) => navigate({ search: (before) => ({ ...before, ...change }), replace: true });

  return (
    <section aria-label="Preview">
      <Stack gap="sm">
        <Title order={3} size="h5">
          Preview
        </Title>
        <SegmentedControl
          size="xs"
          aria-label="For whom"
          value={isInvented ? 'invented' : 'chosen'}
          data={[
            { value: 'chosen', label: 'A player of the game' },
            { value: 'invented', label: 'An invented player' },
          ]}
          onChange={(next) =>
            set(
              next === 'invented'
                ? { invented: '{}', as: undefined }
                : { invented: undefined, as: undefined },
            )
          }
        />
        <NativeSelect
          size="xs"
          label="Under"
          value={under ?? ''}
          data={[
            { value: '', label: 'the draft as it is typed' },
            { value: 'published', label: 'what is published' },
          ]}
          onChange={({ currentTarget }) => set({ under: currentTarget.value || undefined })}
        />
        {isInvented ? (
          <InventedPlayer
            values={values}
            asked={attributesRead(rule, document)}
            onChange={(next) => set({ invented: JSON.stringify(next) })}
          />
        ) : (
          <FindPlayer onFound={(found) => set({ as: found })} />
        )}
        {player !== undefined && (
          <Loaded query={explanation} height={320}>
            {(told) => (
              <>
                {playerId !== undefined && (
                  <Text size="sm">
                    Player <PlayerLink playerId={playerId} />
                  </Text>
                )}
                <Text size="sm">
                  {told.decision.segments.length === 0
                    ? 'In no segment.'
                    : `In ${told.decision.segments.map(({ segmentId }) => segmentId).join(', ')}.`}
                </Text>
                <ExplainedStore explanation={told} />
              </>
            )}
          </Loaded>
        )}
      </Stack>
    </section>
  );
}

/** The attributes in the address, so that a preview can be shared. Values that are no texts are left out. */
function readValues(text: string | undefined): InventedValues {
  if (text === undefined) return {};
  try {
    const entries = Object.entries(JSON.parse(text) as object);
    return Object.fromEntries(entries.filter(([, value]) => typeof value === 'string'));
  } catch {
    return {};
  }
}
