import { Anchor, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useGet, useStudioAndGame } from '../../api/hooks.js';
import { countOf, formatDay } from '../../lib/format.js';
import { gradeInWords, MODELS, metricsOf } from '../../lib/grades.js';

const DAYS = 30;
const GRADES = 100;

/** How often the predictions were right, among whom and since when. Nothing while no week has been graded. */
export function PredictionNotes() {
  const { studio, game } = useStudioAndGame();
  const { data: graded } = useGet('listPredictionGrades', {
    params: { game },
    query: { days: DAYS, limit: GRADES },
  });
  const { data: models } = useGet('listModels', { params: { game }, query: { limit: 1 } });
  const notes = Object.entries(MODELS).flatMap(([model, { name }]) => {
    const newest = graded?.grades.find((grade) => grade.model === model);
    const words = newest === undefined ? undefined : gradeInWords(newest);
    return newest === undefined || words === undefined ? [] : [{ model, name, newest, words }];
  });
  if (notes.length === 0) return null;
  const since = models?.inForce?.since;
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        Were the predictions right?
      </Title>
      <Stack gap={4}>
        {notes.map(({ model, name, newest, words }) => (
          <Text key={model} size="sm">
            <Anchor
              size="sm"
              renderRoot={(props) => (
                <Link
                  {...props}
                  to="/$studio/$game/predictions"
                  params={{ studio, game }}
                  search={{ model }}
                />
              )}
            >
              {name}
            </Anchor>
            : {words} Checked for {countOf(Math.round(metricsOf(newest).players ?? 0), 'player')} in the week
            to {formatDay(newest.day)}.
            {newest.health === 'red' && ' It was wrong too often: players get averages.'}
          </Text>
        ))}
        {since !== undefined && (
          <Text size="xs" c="dimmed">
            Since {formatDay(since.slice(0, 10))} players get these predictions.
          </Text>
        )}
      </Stack>
    </section>
  );
}
