import {
  type InfiniteData,
  type UseInfiniteQueryResult,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type ApiProblem, call, type DataOf, type OperationId, type RequestOf } from './client.js';

/** The studio and the game of the address, so that a link leads others to the same place. */
export function useStudioAndGame(): { studio: string; game: string } {
  const { studio = '', game = '' } = useParams({ strict: false }) as { studio?: string; game?: string };
  return { studio, game };
}

/** Asks again for what these operations have shown of the studio; for everything of it, if none is named. */
export function useRefresh(): (...ids: OperationId[]) => Promise<unknown> {
  const { studio } = useStudioAndGame();
  const queries = useQueryClient();
  return (...ids) => {
    const keys = ids.length === 0 ? [[studio]] : ids.map((id) => [studio, id]);
    return Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
  };
}

/** A response is cached by its request: studio, operation and parameters. */
export function keyOf(studio: string, id: OperationId, request: unknown = {}): readonly unknown[] {
  return [studio, id, request];
}

type GetOptions<Data> = {
  enabled?: boolean;
  /** How often the request is repeated while the page is open, also by what the last response shows. */
  everyMs?: number | ((data: Data | undefined) => number);
  /** What was shown before stays until the new response is there: no page jumps. */
  keepPrevious?: boolean;
};

export function useGet<Id extends OperationId>(
  id: Id,
  request: RequestOf<Id> = {},
  { enabled = true, everyMs, keepPrevious = false }: GetOptions<DataOf<Id>> = {},
): UseQueryResult<DataOf<Id>, ApiProblem> {
  const { studio } = useStudioAndGame();
  return useQuery<DataOf<Id>, ApiProblem>({
    queryKey: keyOf(studio, id, request),
    queryFn: ({ signal }) => call(id, request, { studio: studio || undefined, signal }),
    enabled,
    ...(everyMs === undefined
      ? {}
      : {
          refetchInterval: typeof everyMs === 'number' ? everyMs : ({ state }) => everyMs(state.data),
        }),
    ...(keepPrevious ? { placeholderData: (before: unknown) => before as never } : {}),
  });
}

/** Pages of a list, each named by the cursor that the one before gave. */
export function usePages<Id extends OperationId>(
  id: Id,
  request: RequestOf<Id> = {},
  cursors: {
    /** The cursor of the next page: `nextCursor`, unless said otherwise. */
    next?: (page: DataOf<Id>) => string | null | undefined;
    /** The parameter that takes the cursor. */
    parameter?: string;
    enabled?: boolean;
    /** How often the list is asked for again while it is open, by what a page of it shows. */
    everyMs?: (page: DataOf<Id>) => number | false;
  } = {},
): UseInfiniteQueryResult<InfiniteData<DataOf<Id>>, ApiProblem> {
  const { studio } = useStudioAndGame();
  const { next = nextCursorOf, parameter = 'cursor', enabled = true, everyMs } = cursors;
  return useInfiniteQuery<
    DataOf<Id>,
    ApiProblem,
    InfiniteData<DataOf<Id>>,
    readonly unknown[],
    string | null
  >({
    queryKey: [...keyOf(studio, id, request), 'pages'],
    queryFn: ({ pageParam, signal }) =>
      call(
        id,
        {
          ...request,
          query: { ...request.query, ...(pageParam === null ? {} : { [parameter]: pageParam }) },
        } as RequestOf<Id>,
        { studio: studio || undefined, signal },
      ),
    initialPageParam: null,
    getNextPageParam: (page) => next(page) ?? undefined,
    enabled,
    ...(everyMs === undefined
      ? {}
      : {
          refetchInterval: ({ state }) =>
            state.data?.pages.map(everyMs).find((interval) => interval !== false) ?? false,
        }),
  });
}

function nextCursorOf(page: unknown): string | null | undefined {
  return (page as { nextCursor?: string | null }).nextCursor;
}

export function useApiMutation<Id extends OperationId>(
  id: Id,
  options: {
    onDone?: (data: DataOf<Id>) => void;
    /** By default the studio of the address. */
    studio?: string;
  } = {},
): UseMutationResult<DataOf<Id>, ApiProblem, RequestOf<Id>> {
  const place = useStudioAndGame();
  const studio = options.studio ?? place.studio;
  return useMutation<DataOf<Id>, ApiProblem, RequestOf<Id>>({
    mutationFn: (request) => call(id, request, { studio: studio || undefined }),
    ...(options.onDone === undefined ? {} : { onSuccess: options.onDone }),
  });
}
