import { useQuery } from '@tanstack/react-query';

/** The address of the player API, as the API document of this listener says it. Undefined until then. */
export function usePlayerUrl(): string | undefined {
  const { data } = useQuery({
    queryKey: ['player-url'],
    queryFn: async () => {
      const response = await fetch('/openapi/player.json');
      const { servers } = (await response.json()) as { servers: { url: string }[] };
      return servers[0]?.url.replace(/\/$/, '');
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data;
}
