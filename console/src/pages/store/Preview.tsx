import { NativeSelect, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useExplanation } from '../../api/use-explanation.js';
import { attributesRead } from '../../lib/attribute-usages.js';
import { laterStart } from '../../lib/coming-instants.js';
import type { ConfigDocument, Offer } from '../../lib/document.js';
import { type InventedValues, inventedFacts } from '../../lib/invented-player.js';
import { ExplainedStore } from '../../parts/ExplainedStore.js';
import { PlayerLink } from '../../parts/PlayerLink.js';
import { Loaded } from '../../parts/states.js';
import { FindPlayer } from './FindPlayer.js';
import { InventedPlayer } from './InventedPlayer.js';
import { PreviewTime } from './PreviewTime.js';

const route = getRouteApi('/$studio/$game/store');
/** A pause in typing. */
const PAUSE_MS = 400;

/** In the address: now, although the open offer begins later. */
const NOW = 'now';

/**
 * The store as a chosen or an invented player would get it, now or at any later time, under the draft as it is typed or under what is
 * published. The service decides with the code that serves players.
 */
export function Preview({ document, offer }: { document: ConfigDocument; offer?: Offer }) {
  const { as: playerId, invented, under, time } = route.useSearch();
  const navigate = route.useNavigate();
  const values = useMemo(() => readValues(invented), [invented]);
  const isInvented = invented !== undefined;
  const [pausedValues] = useDebouncedValue(values, PAUSE_MS);
  const [pausedDocument] = useDebouncedValue(document, PAUSE_MS);
  // Before its beginning, the open offer has no effect that could be seen.
  const at = time === NOW ? undefined : (time ?? laterStart(offer?.from, Date.now()));
  const [pausedAt] = useDebouncedValue(at, PAUSE_MS);
  const hypothetical = useMemo(
    () => inventedFacts(pausedValues, pausedAt === undefined ? Date.now() : Date.parse(pausedAt)),
    [pausedValues, pausedAt],
  );
  const player = isInvented ? { hypothetical } : playerId === undefined ? undefined : { playerId };
  const version = under === 'published' ? {} : { document: pausedDocument };
  const explanation = useExplanation(
    player === undefined
      ? undefined
      : {
          ...player,
          ...version,
          ...(pausedAt === undefined ? {} : { at: pausedAt }),
        },
  );
  const set = (change: {
    as?: string | undefined;
    invented?: string | undefined;
    under?: string | undefined;
    time?: string | undefined;
  }) => navigate({ search: (before) => ({ ...before, ...change }), replace: true });

  return (
    <section aria-label="Preview">
      <Stack gap="sm">
        <Title order={2} size="h5">
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
        <PreviewTime
          document={document}
          at={at ?? null}
          onChange={(next) => set({ time: next ?? (offer === undefined ? undefined : NOW) })}
        />
        {isInvented ? (
          <InventedPlayer
            values={values}
            asked={attributesRead(offer?.when ?? '', document)}
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
