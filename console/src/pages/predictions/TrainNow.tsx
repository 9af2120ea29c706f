import { Alert, Button, Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { DataOf } from '../../api/client.js';
import { useChange, usePlace } from '../../api/hooks.js';
import { useRole } from '../../api/session.js';
import { formatInstant } from '../../lib/format.js';
import { ProblemNote } from '../../parts/states.js';

/** Models are trained every night. This button trains them now. */
export function TrainNow({ lastFailure }: { lastFailure: DataOf<'listModels'>['lastFailure'] }) {
  const { studio, game } = usePlace();
  const { isEditor } = useRole();
  const queries = useQueryClient();
  const train = useChange('trainModels', {
    onDone: () => queries.invalidateQueries({ queryKey: [studio, 'listModels'] }),
  });
  return (
    <>
      {lastFailure !== null && (
        <Alert
          color="red"
          variant="light"
          title={`The last training or grading failed, ${formatInstant(lastFailure.at)}`}
        >
          {lastFailure.message}
        </Alert>
      )}
      {isEditor && (
        <Group gap="sm">
          <Button
            size="xs"
            variant="default"
            loading={train.isPending}
            onClick={() => train.mutate({ params: { game } })}
          >
            Train now
          </Button>
          {train.isPending && <Text size="sm">This reads all players and may take a minute.</Text>}
          {train.data !== undefined && (
            <Text size="sm" role="status">
              Training {train.data.version} is done{train.data.isPromoted ? ' and in force' : ''}.
            </Text>
          )}
        </Group>
      )}
      <ProblemNote problem={train.error} />
    </>
  );
}
