import { useQuery } from '@tanstack/react-query';
import { type ApiProblem, call } from './client.js';
import { keyOf, useStudioAndGame } from './hooks.js';

/** The thumbnails of all SKUs, as addresses that need no further request: SKU id → `data:…`. */
export function usePictures(): ReadonlyMap<string, string> {
  const { studio, game } = useStudioAndGame();
  const { data } = useQuery<ReadonlyMap<string, string>, ApiProblem>({
    queryKey: keyOf(studio, 'listPictures', { game }),
    queryFn: async ({ signal }) => {
      const found = new Map<string, string>();
      let cursor: string | null = null;
      do {
        const query: { cursor?: string } = cursor === null ? {} : { cursor };
        const page: {
          pictures: { skuId: string; mediaType: string; content: string }[];
          nextCursor: string | null;
        } = await call('listPictures', { params: { game }, query }, { studio, signal });
        for (const { skuId, mediaType, content } of page.pictures)
          found.set(skuId, `data:${mediaType};base64,${content}`);
        cursor = page.nextCursor;
      } while (cursor !== null);
      return found;
    },
    staleTime: 60_000,
  });
  return data ?? NONE;
}

const NONE: ReadonlyMap<string, string> = new Map();
