import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type ApiProblem, call, type DataOf, rememberCsrfToken } from './client.js';
import { useStudioAndGame } from './hooks.js';

export type Me = DataOf<'me'>;

/** Who is signed in, for the studio of the address. It is requested first, because changes need the CSRF token of its response. */
export function useMe(): UseQueryResult<Me, ApiProblem> {
  const { studio } = useStudioAndGame();
  return useQuery<Me, ApiProblem>({
    queryKey: ['me', studio],
    queryFn: () => fetchMe(studio),
    staleTime: 60_000,
  });
}

export async function fetchMe(studio: string): Promise<Me> {
  const me = await call('me', {}, { studio: studio || undefined });
  rememberCsrfToken(me.csrfToken);
  return me;
}

const RANKS = { viewer: 0, editor: 1, owner: 2 } as const;

/** Whether the signed-in person has a role or a higher one. The service decides; the pages only hide what the service would refuse. */
export function useRole(): { isEditor: boolean; isOwner: boolean } {
  const { data } = useMe();
  const rank = data === undefined ? -1 : RANKS[data.role];
  return { isEditor: rank >= RANKS.editor, isOwner: rank >= RANKS.owner };
}
