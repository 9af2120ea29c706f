import { Badge, Button, Text, Title } from '@mantine/core';
import { useState } from 'react';
import type { Schemas } from '../../api/client.js';
import { useApiMutation, useRefresh, useStudioAndGame } from '../../api/hooks.js';
import { useRole } from '../../api/session.js';
import { formatCount } from '../../lib/format.js';
import { DataTable, type MoreRows } from '../../parts/DataTable.js';
import { ProblemNote } from '../../parts/states.js';
import { Moment } from '../../parts/texts.js';

/** The trainings with their outcomes, newest first, and the roll-back to one of them. */
export function Trainings({
  models,
  inForce,
  more,
}: {
  models: readonly Schemas['ModelSummary'][];
  inForce: Schemas['ModelInForce'] | null;
  more: MoreRows;
}) {
  const { game } = useStudioAndGame();
  const { isEditor } = useRole();
  const refresh = useRefresh();
  const [sure, setSure] = useState<number>();
  const back = useApiMutation('rollBackModel', {
    onDone: () => {
      setSure(undefined);
      refresh('listModels');
    },
  });
  if (models.length === 0) return null;
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        Trainings
      </Title>
      <ProblemNote problem={back.error} />
      <DataTable
        label="Trainings"
        rows={models}
        rowKey={({ version }) => String(version)}
        more={more}
        empty={<Text c="dimmed">None.</Text>}
        columns={[
          { id: 'version', header: 'Training', cell: ({ version }) => version },
          { id: 'at', header: 'When', cell: ({ trainedAt }) => <Moment at={trainedAt} /> },
          { id: 'players', header: 'Players', isNumber: true, cell: ({ players }) => formatCount(players) },
          {
            id: 'outcome',
            header: 'Outcome',
            cell: ({ models: parts }) => parts.map(({ model, outcome }) => `${model}: ${outcome}`).join(', '),
          },
          {
            id: 'state',
            header: '',
            cell: ({ version, isPromoted }) => {
              if (version === inForce?.modelVersion)
                return (
                  <Badge color="teal" variant="light">
                    in force
                  </Badge>
                );
              if (!isEditor || !isPromoted) return null;
              return (
                <Button
                  size="compact-xs"
                  variant="default"
                  loading={back.isPending && sure === version}
                  onClick={() =>
                    sure === version ? back.mutate({ params: { game, model: version } }) : setSure(version)
                  }
                >
                  {sure === version ? 'Yes, use it from the next request on' : 'Go back to it'}
                </Button>
              );
            },
          },
        ]}
      />
    </section>
  );
}
