import { Group, NativeSelect, Text, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Schemas } from '../../api/client.js';
import { useGet, useStudioAndGame } from '../../api/hooks.js';
import { useOriginals } from '../../api/use-originals.js';
import { countOf, formatCount } from '../../lib/format.js';
import { binLabel, PREDICTIONS_OF, shownBins } from '../../lib/scores.js';
import { Chart } from '../../parts/Chart.js';
import { EmptyState, Loaded } from '../../parts/states.js';
import { Moment } from '../../parts/texts.js';

const route = getRouteApi('/$studio/$game/predictions');

/** The distribution of the scores of a model over the players, now. */
export function Scores({ model }: { model: string }) {
  const { game } = useStudioAndGame();
  const { score } = route.useSearch();
  const navigate = route.useNavigate();
  const scores = useGet('listPredictionScores', { params: { game } });
  const names = PREDICTIONS_OF[model] ?? [];
  const name = names.find(([id]) => id === score)?.[0] ?? names[0]?.[0] ?? '';
  return (
    <section aria-label="Distribution of scores">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          Distribution of scores
        </Title>
        {names.length > 1 && (
          <NativeSelect
            size="xs"
            aria-label="Prediction"
            value={name}
            data={names.map(([value, label]) => ({ value, label }))}
            onChange={({ currentTarget }) =>
              navigate({ search: (before) => ({ ...before, score: currentTarget.value }) })
            }
          />
        )}
      </Group>
      <Loaded query={scores} height={260}>
        {(data) => {
          const found = data.predictions[name];
          if (found === undefined || data.players === 0) {
            return (
              <EmptyState title="No player to score yet">
                <Text size="sm">Players appear here with their first login.</Text>
              </EmptyState>
            );
          }
          return <Histogram distribution={found} scores={data} />;
        }}
      </Loaded>
    </section>
  );
}

function Histogram({
  distribution,
  scores: { players, examined, isSampled, countedAt },
}: {
  distribution: Schemas['ScoreDistribution'];
  scores: { players: number; examined: number; isSampled: boolean; countedAt: string };
}) {
  const { bands, ready } = distribution;
  const [isOriginal] = useOriginals();
  const { bins, unit, isConverted } = shownBins(distribution, isOriginal);
  return (
    <>
      <Chart
        label="Players by score"
        places={bins.map((bin) => binLabel(bin, unit))}
        series={[{ name: 'players', values: bins.map((bin) => bin.players), kind: 'bars' }]}
        format={formatCount}
        isCount
      />
      <Text size="xs" c="dimmed" className="figures">
        {ready === 0
          ? 'No player is predicted one by one yet: all have the average.'
          : `${formatCount(ready)} of ${countOf(players, 'player')} are predicted one by one: ${formatCount(bands.low)} low, ${formatCount(bands.medium)} medium, ${formatCount(bands.high)} high.`}
        {isSampled ? ` Estimated from ${formatCount(examined)}.` : ''} Scored <Moment at={countedAt} />.
        {isConverted &&
          ` In ${unit} at the rate of today: 1 ${distribution.unit} is ${distribution.reported?.rate} ${unit}. Rules compare with ${distribution.unit}.`}
      </Text>
    </>
  );
}
