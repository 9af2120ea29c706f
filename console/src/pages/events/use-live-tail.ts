import { useEffect, useState } from 'react';
import { ApiProblem, type Schemas, send } from '../../api/client.js';
import { useStudioAndGame } from '../../api/hooks.js';
import { readMessages } from '../../api/server-events.js';

export type LiveEvent = Schemas['LiveEvent'] & { key: number };
type Rate = Schemas['LiveRate'];

/** Older events are in the timelines of their players. */
const MOST_EVENTS = 300;
const RECONNECT_MS = 2_000;

let lastKey = 0;

/** Events as they are received, newest first, until it is paused. Reconnects after a break. */
export function useLiveTail(isPaused: boolean): {
  events: readonly LiveEvent[];
  rate: Rate | null;
  isConnected: boolean;
  problem: ApiProblem | null;
} {
  const { studio, game } = useStudioAndGame();
  const [events, setEvents] = useState<readonly LiveEvent[]>([]);
  const [rate, setRate] = useState<Rate | null>(null);
  const [isConnected, setConnected] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);

  useEffect(() => {
    if (isPaused) return;
    const leaving = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    // After a break the stream continues after the last event that was received, so nothing is left out.
    let lastId = '';

    async function connect(): Promise<void> {
      try {
        const headers = lastId === '' ? {} : { 'last-event-id': lastId };
        const response = await send(
          'watchEvents',
          { params: { game } },
          { studio, signal: leaving.signal, headers },
        );
        setConnected(true);
        setProblem(null);
        await read(response);
      } catch (error) {
        if (leaving.signal.aborted) return;
        if (error instanceof ApiProblem) setProblem(error);
      }
      setConnected(false);
      if (!leaving.signal.aborted) timer = setTimeout(connect, RECONNECT_MS);
    }

    async function read({ body }: Response): Promise<void> {
      if (body === null) return;
      const reader = body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = '';
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        const arrived: LiveEvent[] = [];
        rest = readMessages(`${rest}${value}`, ({ event, data, id }) => {
          if (id !== '') lastId = id;
          if (event === 'rate') setRate(JSON.parse(data) as Rate);
          else if (event === 'event') arrived.push({ ...(JSON.parse(data) as LiveEvent), key: ++lastKey });
        });
        if (arrived.length > 0) {
          setEvents((before) => [...arrived.reverse(), ...before].slice(0, MOST_EVENTS));
        }
      }
    }

    void connect();
    return () => {
      leaving.abort();
      clearTimeout(timer);
      setConnected(false);
    };
  }, [isPaused, studio, game]);
  return { events, rate, isConnected, problem };
}
