import { Alert, Stack, Text } from '@mantine/core';
import type { ApiProblem, Schemas } from '../api/client.js';
import { countOf } from '../lib/format.js';

export function isLostValues(problem: ApiProblem | null): boolean {
  return problem?.code === 'values_in_use';
}

const CHANGES: Readonly<Record<string, string>> = {
  removed: 'is taken away',
  hidden: 'is for servers only',
  narrowed: 'has a narrower type',
};

/** The values that builds in use may ask for in vain. Nothing is published until that is confirmed. */
export function LostValues({ problem }: { problem: ApiProblem | null }) {
  const values = (problem?.details.values ?? []) as Schemas['ValueLoss'][];
  const builds = (problem?.details.builds ?? []) as Schemas['BuildInUse'][];
  return (
    <Alert color="orange" role="alert" title="Builds that players use may ask for these values">
      <Stack gap={4}>
        <Text size="sm">Nothing is published yet. If this is what you want, confirm it below.</Text>
        {values.map(({ key, change }) => (
          <Text size="sm" key={key}>
            <span className="mono">{key}</span> {CHANGES[change]}
          </Text>
        ))}
        <Text size="sm" fw={600}>
          Builds of the last 30 days
        </Text>
        {builds.map(({ clientBuild, players }) => (
          <Text size="sm" key={clientBuild}>
            {clientBuild || 'unknown build'}: up to {countOf(players, 'player')} a day
          </Text>
        ))}
      </Stack>
    </Alert>
  );
}
