import { Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useGet, useStudioAndGame } from '../../api/hooks.js';
import { playersOf, runInWords } from '../../lib/experiment.js';
import { DataTable } from '../../parts/DataTable.js';
import { Loaded } from '../../parts/states.js';
import { Moment } from '../../parts/texts.js';

/** Experiments and hold-outs that are not in the published version any more. Nothing while there are none. */
export function FormerExperiments() {
  const { studio, game } = useStudioAndGame();
  const former = useGet('listFormerExperiments', { params: { game } });
  return (
    <Loaded query={former} height={60}>
      {({ experiments }) =>
        experiments.length === 0 ? null : (
          <section>
            <Title order={2} size="h4" mt="lg" mb="xs">
              Former experiments
            </Title>
            <Text size="sm" c="dimmed" mb="xs">
              Removed from the document, or drawn anew since. Their last reports are kept as they were.
            </Text>
            <DataTable
              label="Former experiments"
              rows={experiments}
              rowKey={({ experiment: { experimentId, seed } }) => `${experimentId} ${seed}`}
              empty={null}
              columns={[
                {
                  id: 'name',
                  header: 'Experiment',
                  isFixed: true,
                  cell: ({ experiment: { experimentId, seed, name } }) => (
                    <Stack gap={0} miw={130}>
                      <Link
                        to="/$studio/$game/experiments"
                        params={{ studio, game }}
                        search={{ experiment: experimentId, seed }}
                      >
                        {name}
                      </Link>
                      <Text size="xs" c="dimmed" className="mono">
                        {runInWords({ experimentId, seed })}
                      </Text>
                    </Stack>
                  ),
                },
                { id: 'ended', header: 'Ended', cell: ({ endedAt }) => <Moment at={endedAt} /> },
                { id: 'players', header: 'Players', isNumber: true, cell: ({ report }) => playersOf(report) },
                { id: 'verdict', header: 'Verdict', cell: ({ sentence }) => sentence },
              ]}
            />
          </section>
        )
      }
    </Loaded>
  );
}
