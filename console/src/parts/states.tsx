import { Alert, Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiProblem } from '../api/client.js';

/** An error beside the control that caused it, with what to do. */
export function ProblemNote({
  problem,
  onRetry,
  children,
}: {
  problem: Error | null | undefined;
  onRetry?: (() => void) | undefined;
  children?: ReactNode;
}) {
  if (problem === null || problem === undefined) return null;
  const code = problem instanceof ApiProblem ? problem.code : undefined;
  return (
    <Alert color="red" variant="light" role="alert" title={problem.message}>
      <Stack gap="xs" align="flex-start">
        {children}
        <Group gap="sm">
          {onRetry && (
            <Button size="xs" variant="default" onClick={onRetry}>
              Try again
            </Button>
          )}
          {code !== undefined && (
            <Text size="xs" c="dimmed">
              code {code}
            </Text>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}

/** Shows a response, a placeholder of its height while it is loading, or its error. */
export function Loaded<Data>({
  query,
  height = 200,
  children,
}: {
  /** A list of pages, too, is such a query. */
  query: { data: Data | undefined; isError: boolean; error: ApiProblem | null; refetch: () => unknown };
  height?: number;
  children: (data: Data) => ReactNode;
}) {
  if (query.data !== undefined) {
    return (
      <>
        {query.isError && <ProblemNote problem={query.error} onRetry={() => query.refetch()} />}
        {children(query.data)}
      </>
    );
  }
  if (query.isError) return <ProblemNote problem={query.error} onRetry={() => query.refetch()} />;
  return <Skeleton height={height} role="status" aria-label="Loading" />;
}

/** Says what will be shown here, and what to do to get it. */
export function EmptyState({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack align="flex-start" gap="xs" py="lg" maw={640}>
      <Title order={2} size="h4">
        {title}
      </Title>
      {children}
    </Stack>
  );
}
