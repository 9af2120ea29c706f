import { Loader, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Navigate } from '@tanstack/react-router';
import { type ApiProblem, call } from '../../api/client.js';
import { fetchMe } from '../../api/session.js';
import { NewGame } from '../../parts/NewGame.js';
import { ProblemNote } from '../../parts/states.js';

const route = getRouteApi('/');
type Found = { studio: string; game: string | undefined; isOwner: boolean };

/** The address without a game: leads to the first game of the studio in the address, or of the first studio. */
export function Start() {
  const { studio = '' } = route.useSearch();
  const query = useQuery<Found, ApiProblem>({
    queryKey: ['start', studio],
    queryFn: async () => {
      const { tenantId, role } = await fetchMe(studio);
      const { games } = await call('listGames', {}, { studio: tenantId });
      return { studio: tenantId, game: games[0]?.gameId, isOwner: role === 'owner' };
    },
  });
  if (query.isError) return <ProblemNote problem={query.error} onRetry={() => query.refetch()} />;
  if (query.data === undefined) return <Loader m="xl" role="status" aria-label="Loading" />;
  const { studio: found, game, isOwner } = query.data;
  if (game === undefined) return <NoGame studio={found} isOwner={isOwner} />;
  return <Navigate to="/$studio/$game" params={{ studio: found, game }} replace />;
}

function NoGame({ studio, isOwner }: { studio: string; isOwner: boolean }) {
  return (
    <Stack p="xl" maw={620} gap="sm">
      <Title order={1} size="h2">
        {studio} has no game yet
      </Title>
      {isOwner ? (
        <>
          <Text>Name your first game. You then create a key for it, and watch its first event arrive.</Text>
          <NewGame studio={studio} />
        </>
      ) : (
        <Text>
          Ask an owner of the studio to create a game. It appears here when you load this page again.
        </Text>
      )}
    </Stack>
  );
}
