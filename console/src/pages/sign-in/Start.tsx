import { Code, Loader, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Navigate } from '@tanstack/react-router';
import { type ApiProblem, call } from '../../api/client.js';
import { fetchMe } from '../../api/session.js';
import { ProblemNote } from '../../parts/states.js';

const route = getRouteApi('/');

/** The address without a game: leads to the first game of the studio in the address, or of the first studio. */
export function Start() {
  const { studio = '' } = route.useSearch();
  const query = useQuery<{ studio: string; game: string | undefined }, ApiProblem>({
    queryKey: ['start', studio],
    queryFn: async () => {
      const { tenantId } = await fetchMe(studio);
      const { games } = await call('listGames', {}, { studio: tenantId });
      return { studio: tenantId, game: games[0]?.gameId };
    },
  });
  if (query.isError) return <ProblemNote problem={query.error} onRetry={() => query.refetch()} />;
  if (query.data === undefined) return <Loader m="xl" role="status" aria-label="Loading" />;
  const { studio: found, game } = query.data;
  if (game === undefined) return <NoGame studio={found} />;
  return <Navigate to="/$studio/$game" params={{ studio: found, game }} replace />;
}

function NoGame({ studio }: { studio: string }) {
  return (
    <Stack p="xl" maw={620} gap="sm">
      <Title order={1} size="h2">
        {studio} has no game yet
      </Title>
      <Text>A game is created on the server. It then appears here:</Text>
      <Code block>{`npx savepoint game create my-game --tenant ${studio} --name "My game"`}</Code>
    </Stack>
  );
}
