import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type ApiProblem, call, type Schemas } from '../../api/client.js';
import { keyOf, usePlace } from '../../api/hooks.js';

export type Explanation = Schemas['Explanation'];
export type ExplanationQuery = UseQueryResult<Explanation, ApiProblem>;

/** What the player is told at a moment, under a version, and why. It changes nothing, so it is kept like anything else that is read. */
export function useExplanation({
  playerId,
  at,
  version,
}: {
  playerId: string;
  at: string | undefined;
  version: string | undefined;
}): ExplanationQuery {
  const { studio, game } = usePlace();
  const body = {
    playerId,
    ...(at === undefined ? {} : { at }),
    ...(version === undefined ? {} : { version: version === 'draft' ? ('draft' as const) : Number(version) }),
  };
  return useQuery<Explanation, ApiProblem>({
    queryKey: keyOf(studio, 'explain', { game, ...body }),
    queryFn: ({ signal }) => call('explain', { params: { game }, body }, { studio, signal }),
    placeholderData: (before) => before,
  });
}
